/*
 * preprocess.h: D files through the system's C preprocessor, as `dtrace -C` has it.
 */
#ifndef VMTAP_CLI_TRACE_PREPROCESS_H
#define VMTAP_CLI_TRACE_PREPROCESS_H

#include <stddef.h>

#include "base/error.h"

struct preprocess {
	const char *path; /* of the preprocessor; NULL: cpp, as PATH finds it */
	char **arguments; /* from -D, -U, -I, -H, -X, in their order; owned */
	size_t argument_count;
};

/* Adds an argument: prefix and text in one word. -ENOMEM. */
int preprocess_add(struct preprocess *preprocess, const char *prefix, const char *text);

/*
 * Runs the preprocessor over a file's text. Its messages go to standard error as they are;
 * the lines of the result say which line of which file they are. A first line "#!..." is
 * left out. *result is the caller's; not NUL-terminated. A negative errno and a line in error
 * that says what failed.
 */
int preprocess_run(const struct preprocess *preprocess, const char *file, const char *text,
	size_t length, char **result, size_t *result_length, struct error *error);

void preprocess_free(struct preprocess *preprocess);

#endif
