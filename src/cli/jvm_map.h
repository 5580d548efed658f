/*
 * jvm_map.h: has JVMs write the names of the functions that they have compiled into
 * /tmp/perf-PID.map, where usdt/process/perf_map.h finds them.
 */
#ifndef VMTAP_CLI_JVM_MAP_H
#define VMTAP_CLI_JVM_MAP_H

struct target_spec;

/*
 * Runs `jcmd PID Compiler.perfmap` for each target that is given by its pid and is a JVM that can
 * be asked, and waits for its end, a few seconds at most. Where that is not possible, nothing is
 * said, and the JVM's frames have no names.
 */
void jvm_map_ask(const struct target_spec *spec);

#endif
