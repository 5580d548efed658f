/*
 * script_text.h: the text of a script named on the command line: given by -s, -n and the like, or a
 * script that comes with vmtap.
 */
#ifndef VMTAP_CLI_TRACE_SCRIPT_TEXT_H
#define VMTAP_CLI_TRACE_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "d/compile.h"

struct script {
	const char *name; /* file, or the text of -n */
	const char *text; /* NULL: the file has not been read yet */
	size_t length;
	char *owned; /* text read from a file or written by the preprocessor */
	bool is_file;
	enum d_last_part last; /* for -n, -f, -m, -P, -i: the last part of the description */
};

/*
 * Reads the script if it is a file, and runs it through the preprocessor if the options say so. On
 * failure prints a message to standard error and returns a negative errno.
 */
int script_read(struct script *script, const struct d_compile_options *options);
void script_free(struct script *script);

#endif
