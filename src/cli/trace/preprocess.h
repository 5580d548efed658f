/*
 * preprocess.h: D files through the system's C preprocessor, as `dtrace -C` has it.
 */
#ifndef VMTAP_CLI_TRACE_PREPROCESS_H
#define VMTAP_CLI_TRACE_PREPROCESS_H

#include <stddef.h>

#include "base/error.h"
#include "program/option.h"

/*
 * Runs the preprocessor of the options (cpppath, cpp_arguments) over a file's text. Its messages go
 * to standard error as they are; the lines of the result say which line of which file they are. A
 * first line "#!..." is left out. *result is the caller's; not NUL-terminated. A negative errno and
 * a line in error that says what failed.
 */
int preprocess_run(const struct d_compile_options *options, const char *file, const char *text,
	size_t length, char **result, size_t *result_length, struct error *error);

#endif
