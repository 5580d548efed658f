/*
 * needed.h: the files that the dynamic linker would load for a program: the program itself, the
 * libraries that it is linked with, and theirs. They are looked for as the linker of the GNU C
 * library does: by DT_RPATH, LD_LIBRARY_PATH, DT_RUNPATH, /etc/ld.so.cache, and in the usual
 * folders. Nothing of the program is run. What a program loads by dlopen() is not known here.
 */
#ifndef VMTAP_USDT_ELF_NEEDED_H
#define VMTAP_USDT_ELF_NEEDED_H

#include <stdbool.h>

/* The path of a program as execvp() finds it; false: there is none. */
bool usdt_needed_program(const char *name, char path[4096]);

/* Calls each for the path of every file, the program first. Returns false if not all were found:
 * the others are left out. */
bool usdt_needed_each(
	const char *program, void (*each)(void *context, const char *path), void *context);

#endif
