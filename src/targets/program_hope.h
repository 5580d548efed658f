/*
 * program_hope.h: whether a command whose program serves no event stream may serve one later, so
 * that it is worth waiting for.
 */
#ifndef VMTAP_TARGETS_PROGRAM_HOPE_H
#define VMTAP_TARGETS_PROGRAM_HOPE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* How long to wait for the end of a program from which no stream comes: a line then says that it
 * has ended, as it does of other commands. */
enum { PROGRAM_END_MS = 200 };

/* Returns true if a file contains libvmtap's runtime, or probes of provider vm. */
bool program_file_has_runtime(const char *path);

/* Returns true if the program's file, or a library that it is linked with, contains libvmtap's
 * runtime. name is looked up in PATH. */
bool program_has_runtime(const char *name);

/*
 * Returns false if it is known that no stream comes: neither the program nor a library that it is
 * linked with contains the runtime, loads other libraries, or executes other programs. name is
 * looked up in PATH.
 */
bool program_may_serve(const char *name);

/* Stores the path of the program that a process executes now. Returns false if it is not known. */
bool program_of_process(uint32_t pid, char path[PATH_MAX]);

#endif
