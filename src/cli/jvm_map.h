/*
 * jvm_map.h: has a JVM write the names of the functions that it has compiled into
 * /tmp/perf-PID.map, where usdt/process/perf_map.h finds them.
 */
#ifndef VMTAP_CLI_JVM_MAP_H
#define VMTAP_CLI_JVM_MAP_H

#include <stdint.h>

/*
 * Runs `jcmd PID Compiler.perfmap` if the process is a JVM that can be asked, and waits until it
 * has ended, a few seconds at most. Nothing happens, and nothing is said, if that is not possible:
 * then its frames are without names.
 */
void jvm_map_ask(uint32_t pid);

#endif
