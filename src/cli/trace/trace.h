/*
 * trace.h: runs what a command line of `vmtap trace` asks for, for verbs that are traces with a
 * script and a writer of their own.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_H
#define VMTAP_CLI_TRACE_TRACE_H

struct trace;

/*
 * Compiles the scripts, opens the targets and runs until the end. Returns an exit status, after a
 * message if it is not CLI_OK. The caller ignores SIGPIPE.
 */
int trace_target(struct trace *trace);

#endif
