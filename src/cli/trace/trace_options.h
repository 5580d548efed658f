/*
 * trace_options.h: the command line of `vmtap trace`: dtrace's letters, what they ask for, and
 * options of D from the environment.
 */
#ifndef VMTAP_CLI_TRACE_TRACE_OPTIONS_H
#define VMTAP_CLI_TRACE_TRACE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cli/trace/script_text.h"
#include "program/option.h"
#include "targets/targets.h"

struct run_input;
struct event_process;
struct writer;

/* An option of D as it was given. */
struct setting {
	const char *name;  /* as D knows it */
	const char *value; /* NULL: none given */
	const char *given; /* as it was written, for messages: "-q"; NULL: "-x" and the name */
	bool is_letter;    /* given is one that the value follows: "-b 4m" */
	char *owned;
};

/* What dtrace calls modes: only one of them. */
enum trace_mode {
	TRACE_RUN,
	TRACE_COMPILE, /* -e */
	TRACE_LIST,    /* -l */
	TRACE_VERSION, /* -V */
	TRACE_HELPED   /* --help has been printed */
};

struct trace {
	const char *verb; /* that the user has typed */
	enum trace_mode mode;
	void (*caller_sigpipe)(int); /* how our caller has SIGPIPE handled */
	struct script *scripts;
	size_t script_count, script_capacity;
	struct setting *settings; /* in the order in which they hold */
	size_t setting_count, setting_capacity;
	struct d_options options; /* what the settings come to */
	struct d_compile_options compile_options;
	struct target_spec spec; /* what to trace */
	struct targets targets;  /* what has become of it */
	const char *output;
	bool verbose, disassemble, lossless;
	char **arguments; /* $1 ...: as many as argv has words at most */
	size_t argument_count;
	const char *no_program; /* after "--", the first of them, which could have been a command */
	bool has_operand;       /* an operand has been seen, which may have been a script's name */
	bool is_bundled;        /* the first script is one that comes with vmtap */
	struct writer *writer;  /* as in struct run_settings, and the next three */
	uint64_t snapshot;
	uint64_t seconds; /* after which the trace ends; 0: not by time */
	void (*note_process)(struct writer *writer, const struct event_process *process);
	const struct run_input *input;
	int (*opened)(void *context, struct error *error);
	void *opened_context;
	bool samples_elapsed; /* option sample is of elapsed time, whatever the script says */
};

/*
 * Reads the environment and the command line, whose first word is the verb: messages name it, and
 * the targets are checked as its own. script is the bundled one that runs if the command
 * line names none; NULL: that is an error. CLI_OK, or another exit status after a message.
 * trace_options_free() in any case; strings may point into argv.
 */
int trace_options_parse(struct trace *trace, int argc, char **argv, const char *script);
void trace_options_free(struct trace *trace);

/* Runs this text instead of the bundled script, and frees it at the end. The trace must be one
 * whose script is_bundled says to be bundled. Returns CLI_OK; or says that memory has run out, if
 * the text is NULL, and returns CLI_CANNOT. */
int trace_replace_bundled(struct trace *trace, char *text);

#endif
