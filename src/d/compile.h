/*
 * compile.h: D scripts to a program. The only door into the front end.
 *
 * A compiler is made for one run. Scripts are read into it one after the other, in the command
 * line's order, and share what D shares. What they ask for is known then (d_compiler_asks()):
 * whoever compiles opens the sources that it takes, and hands over the probes that these have
 * (d_compiler_set_probes()). Each script is read once, and each clause compiled once: one whose
 * description spells probes of the engine as soon as it has been read, so that what is wrong
 * with it is found before a source is opened; all from the first other one on when the probes
 * are known. Probes that are known from the beginning may be handed over before any script.
 *
 * Compilation stops at the first error; the message is DTrace's, with the column and the
 * offending text added.
 */
#ifndef VMTAP_D_COMPILE_H
#define VMTAP_D_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "program/option.h"
#include "program/probe.h"
#include "program/program.h"

struct d_compiler;

struct d_compile_settings {
	pid_t target;           /* $target, 0 if none */
	const char *name;       /* $0 for string programs: argv[0] */
	bool has_kernel_source; /* the build has one, so that messages may point to it */
	char *const *arguments; /* $1 ... */
	size_t argument_count;
	/* What the command line has set; NULL: nothing. Scripts may set more, for themselves and
	 * those after them. */
	const struct d_options *options;
	const struct d_compile_options *compile_options; /* outlives the compiler */
};

/* What scripts ask of whoever runs them. */
struct d_asks {
	bool source;      /* probes, providers or modules that the engine has not itself */
	bool zdefs;       /* that a description matches no probe is no error */
	bool target;      /* $target is part of the text */
	uint32_t process; /* that the provider of the first description that asks for a source is
			     named after: 1234 of ccl1234:::gc-start; 0: none, or it may match
			     nothing */
};

struct d_error {
	struct error message;  /* without "dtrace: failed to compile script ...: " */
	const char *tag;       /* "D_SYNTAX" and so on, as option errtags shows it */
	uint32_t script;       /* by its number, from 0; of an error in a library: 0 */
	uint32_t line, column; /* 0 when there is no place */
};

/* What settings point to outlives the compiler. -ENOMEM. */
int d_compiler_new(const struct d_compile_settings *settings, struct d_compiler **compiler);

/*
 * Reads the libraries of option libdir, without parsing them. *waits: one of them depends on
 * providers or modules that the engine has not itself ("#pragma D depends_on"), so that it
 * takes the probes of a source to know what is defined: to be handed over before any script.
 * Who does not ask gets what is defined without them. -EINVAL.
 */
int d_compiler_libraries(struct d_compiler *compiler, bool *waits, struct d_error *error);

/*
 * Which part of a probe the last part of a string program's descriptions is: -n, -f, -m
 * and -P; -i takes numbers only. Descriptions in files always end in the name.
 */
enum d_last_part { D_LAST_NONE = -1, D_LAST_PROVIDER, D_LAST_MODULE, D_LAST_FUNCTION, D_LAST_NAME };

/* Holds for the string programs that are read next; at first it is the name. */
void d_compiler_last_part(struct d_compiler *compiler, enum d_last_part last);

/*
 * Reads one script, and compiles of it what can be compiled: a file's text (file is its name),
 * or a string program (file is NULL). Both outlive the compiler. -EINVAL: no more scripts can be
 * read; what is wrong with those before it, which waits for the probes, comes first in their
 * order, and d_compiler_set_probes() tells it.
 */
int d_parse_script(struct d_compiler *compiler, const char *file, const char *text, size_t length,
	struct d_error *error);

/* What the scripts that have been read ask for; as long as the compiler. */
const struct d_asks *d_compiler_asks(const struct d_compiler *compiler);

/*
 * The probes of all sources are known: compiles what has waited for them. Tick probes are added
 * to the set, which outlives compiler and program. To be called once. -EINVAL: the compiler can
 * only be freed.
 */
int d_compiler_set_probes(
	struct d_compiler *compiler, struct d_probe_set *probes, struct d_error *error);

/*
 * Ends compiling, after the probes have been set. The program is the caller's
 * (d_program_free). The compiler is freed.
 */
struct d_program *d_compiler_finish(struct d_compiler *compiler);
void d_compiler_free(struct d_compiler *compiler);

#endif
