/*
 * trace_compile.h: compiles the scripts of a trace to a program, and opens the targets that they
 * need.
 *
 * Scripts are read before anything is opened. So errors that do not depend on the probes are
 * reported without running a command, and a script that uses only the engine's own probes runs with
 * any process, whether or not the process serves an event stream.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_COMPILE_H
#define VMTAP_CLI_TRACE_TRACE_COMPILE_H

#include "cli/trace/trace_options.h"
#include "program/probe.h"
#include "program/program.h"

/*
 * Compiles the scripts of a trace whose commands have been started (target_start()), and opens or
 * watches its targets. The targets' probes are added to the set. If there are no scripts, all
 * targets are opened and *program is NULL. Returns CLI_OK, or another exit status after a message.
 */
int trace_compile(struct trace *trace, struct d_probe_set *probes, struct d_program **program);

#endif
