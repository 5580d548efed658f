/*
 * compile_library.h: the built-in library of D, and those of option libdir. Private to src/d.
 *
 * Libraries are D text with definitions only: constants, types, translators, inlines. The
 * built-in ones are part of the command (src/d/library); all are read before a run's first
 * script, unless option nolibs says otherwise.
 */
#ifndef VMTAP_D_COMPILE_LIBRARY_H
#define VMTAP_D_COMPILE_LIBRARY_H

#include "d/compiler.h"

struct d_library_text {
	const char *name; /* of the file, without ".d" */
	const char *text;
	size_t length;
};

/* Made by the build. */
extern const struct d_library_text d_library_texts[];
extern const size_t d_library_text_count;

/* Reads the files of option libdir, if that has not been done. Fails like d_fail(). */
int d_library_read(struct d_compiler *compiler);

/* Whether one of these depends on providers or modules that are not known yet. */
bool d_library_waits(const struct d_compiler *compiler);

/*
 * Parses all libraries, of a directory in the order of their names except that
 * "#pragma D depends_on library NAME.d" puts one after another. A library whose
 * "depends_on provider" or "module" is not there is passed over. Fails like d_fail().
 */
int d_library_load(struct d_compiler *compiler);

/* All probes are known: the definitions of providers must agree with them. */
int d_library_settle(struct d_compiler *compiler);

void d_library_free(struct d_compiler *compiler);

#endif
