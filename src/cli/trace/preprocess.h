/*
 * preprocess.h: runs D files through the system's C preprocessor, as `dtrace -C` does.
 */
#ifndef VMTAP_CLI_TRACE_PREPROCESS_H
#define VMTAP_CLI_TRACE_PREPROCESS_H

#include <stddef.h>

#include "base/error.h"
#include "program/option.h"

/*
 * Runs the preprocessor given by the options (cpppath, cpp_arguments) on a file's text. Its
 * messages go to standard error unchanged. The result contains lines that name the original file
 * and line. A first line "#!..." is left out. *result belongs to the caller and is not
 * NUL-terminated. On failure returns a negative errno with a message of one line in error.
 */
int preprocess_run(const struct d_compile_options *options, const char *file, const char *text,
	size_t length, char **result, size_t *result_length, struct error *error);

#endif
