/*
 * trace_compile.h: the scripts of a trace to a program, and the targets that they ask for.
 *
 * Scripts are read before anything is opened: what is wrong with them whatever the probes are
 * is said without running a command, and a script that asks for no probes but the engine's own
 * runs with any process, whether that serves an event stream or not.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_COMPILE_H
#define VMTAP_CLI_TRACE_TRACE_COMPILE_H

#include "cli/trace/trace_options.h"
#include "program/probe.h"
#include "program/program.h"

/*
 * Compiles the scripts of a trace whose commands are started (target_start()), and opens or
 * watches its targets. Their probes are added to the set. Without scripts all targets are opened
 * and *program is NULL. CLI_OK, or another exit status after a message.
 */
int trace_compile(struct trace *trace, struct d_probe_set *probes, struct d_program **program);

#endif
