/*
 * debug.h: what the parts of the command do, on standard error, for whoever debugs them. The
 * environment variable VMTAP_DEBUG names the parts, separated by commas:
 *     VMTAP_DEBUG=stream,compile vmtap trace ...
 * It is read once, at the start of the command; nothing else changes this state. A line costs a
 * test of a bit while its part is not named. The library has a part of its own, "server", which
 * shim/server/server.c implements, since the library links no object of this folder.
 */
#ifndef VMTAP_BASE_DEBUG_H
#define VMTAP_BASE_DEBUG_H

#include <stdbool.h>

/* Each part: its constant, its name, what it tells. */
#define DEBUG_PARTS(PART)                                                                          \
	PART(COMPILE, "compile", "scripts read, what they need, the program made")                 \
	PART(TARGET, "target", "commands that are started, VMs that are found")                    \
	PART(STREAM, "stream", "connections to VMs, subscriptions, answers, ends of streams")      \
	PART(LOG, "log", "recorded logs: opened, the probes found, how they end")                  \
	PART(KERNEL, "kernel", "programs that are loaded into the kernel, and their sites")        \
	PART(MERGE, "merge", "sources that are merged")                                            \
	PART(ENGINE, "engine", "when the engine begins and ends")                                  \
	PART(MODULE, "module", "modules that runtimes do not load, and why")                       \
	PART(RECORD, "record", "files that a recording opens")                                     \
	PART(SERVER, "server", "in the VM: the library's thread and its clients")

enum debug_part {
#define DEBUG_PART(constant, name, tells) DEBUG_##constant,
	DEBUG_PARTS(DEBUG_PART)
#undef DEBUG_PART
		DEBUG_PART_COUNT
};

/*
 * Reads the environment. -EINVAL after a line on standard error if it names a part that does not
 * exist; 1 after a list of the parts on standard output, if it asks for "help"; else 0.
 */
int debug_start(void);

/* One line, "vmtap: PART: ...", in one write, see base/debug_line.h. Keeps errno. */
void debug_say(enum debug_part part, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
