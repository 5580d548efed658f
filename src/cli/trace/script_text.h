/*
 * script_text.h: a script of the command line and its text: -s, -n and the like, or one that
 * comes with vmtap.
 */
#ifndef VMTAP_CLI_TRACE_SCRIPT_TEXT_H
#define VMTAP_CLI_TRACE_SCRIPT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "d/compile.h"

struct script {
	const char *name; /* file, or the text of -n */
	const char *text; /* NULL: the file is still to be read */
	size_t length;
	char *owned; /* text that was read from a file, or that the preprocessor has made */
	bool is_file;
	enum d_last_part last; /* of -n, -f, -m, -P, -i: what the description ends in */
};

/*
 * Reads the script's file if it is one, and runs it through the preprocessor if the options say
 * so. A negative errno after a message on standard error.
 */
int script_read(struct script *script, const struct d_compile_options *options);
void script_free(struct script *script);

#endif
