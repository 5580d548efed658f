/*
 * trace_options.h: the command line of `vmtap trace`: dtrace's option letters, the settings they
 * make, and D options from the environment.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_OPTIONS_H
#define VMTAP_CLI_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/trace/script_text.h"
#include "cli/trace/target.h"
#include "program/option.h"

/* A D option as it was given. */
struct setting {
	const char *name;  /* D's name of the option */
	const char *value; /* NULL: no value was given */
	const char *given; /* as the user wrote it, for messages: "-q"; NULL: "-x" and the name */
	bool is_letter;    /* given is a letter followed by the value: "-b 4m" */
	char *owned;
};

/* What dtrace calls modes; a run has only one. */
enum trace_mode {
	TRACE_RUN,
	TRACE_COMPILE, /* -e */
	TRACE_LIST,    /* -l */
	TRACE_VERSION, /* -V */
	TRACE_HELPED   /* --help has been printed */
};

struct trace {
	enum trace_mode mode;
	struct script *scripts;
	size_t script_count;
	struct setting *settings; /* in the order in which they are applied */
	size_t setting_count;
	struct d_options options; /* the result of the settings */
	struct d_compile_options compile_options;
	struct targets targets;
	const char *output;
	bool verbose, disassemble, lossless;
	char **arguments; /* $1 ... */
	size_t argument_count;
};

/*
 * Reads the environment and the command line. Returns CLI_OK, or another exit status after a
 * message. Call trace_options_free() in any case. Strings may point into argv.
 */
int trace_options_parse(struct trace *trace, int argc, char **argv);
void trace_options_free(struct trace *trace);

#endif
