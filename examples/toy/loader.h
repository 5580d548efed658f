/*
 * loader.h: files of guest code: require, load, the program itself.
 */
#ifndef TOY_LOADER_H
#define TOY_LOADER_H

#include "vm.h"

/*
 * Parses and compiles a file. Returns NULL on failure: error then has the line and message,
 * or line 0 if the file cannot be read (*file is NULL then).
 */
struct parse_error;
struct code *loader_compile(struct capability *cap, const char *path, struct source_file **file,
	struct parse_error *error);
/* Fires the return event of a require or load whose file cannot be run after all. */
void loader_abandon(struct thread *thread);
/* Defines the natives require and load. */
void loader_natives(struct vm *vm);

#endif
