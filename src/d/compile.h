/*
 * compile.h: D scripts to a program. The only door into the front end.
 *
 * A compiler is made for one run: scripts are compiled into it one after the other, in
 * the command line's order, and share what D shares. Compilation stops at the first
 * error; the message is DTrace's, with the column and the offending text added.
 */
#ifndef VMTAP_D_COMPILE_H
#define VMTAP_D_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "program/probe.h"
#include "program/program.h"

struct d_compiler;

struct d_compile_settings {
	struct d_probe_set *probes; /* tick probes are added to it; outlives compiler and program */
	pid_t target;               /* $target, 0 if none */
	const char *name;           /* $0 for string programs: argv[0] */
	bool has_kernel_source;     /* the build has one, so that messages may point to it */
	char *const *arguments;     /* $1 ... */
	size_t argument_count;
	/* What the command line has set; NULL: nothing. Scripts may set more, for themselves and
	 * those after them. */
	const struct d_options *options;
	const struct d_compile_options *compile_options; /* outlives the compiler */
};

/* What a script matched: for "description 'X' matched N probes" and -l. */
struct d_match {
	char *description; /* cut as DTrace cuts it; or the file's name */
	bool is_file;
	size_t probe_count;
	bool destructive; /* some action needs option destructive */
};

/* The tag of the last error, "D_SYNTAX" and so on, beside the message. */
struct d_error {
	struct error message; /* without "dtrace: failed to compile script ...: " */
	const char *tag;
	uint32_t line, column; /* 0 when there is no place */
	uint32_t process; /* of D_PDESC_ZERO: the pid that the provider's name ends with; 0: none */
};

int d_compiler_new(const struct d_compile_settings *settings, struct d_compiler **compiler);

/*
 * Which part of a probe the last part of a string program's descriptions is: -n, -f, -m
 * and -P; -i takes numbers only. Descriptions in files always end in the name.
 */
enum d_last_part { D_LAST_NONE = -1, D_LAST_PROVIDER, D_LAST_MODULE, D_LAST_FUNCTION, D_LAST_NAME };

/* Holds for the string programs that are compiled next; at first it is the name. */
void d_compiler_last_part(struct d_compiler *compiler, enum d_last_part last);

/*
 * Compiles one script: a file's text (file is its name), or a string program (file is
 * NULL). On failure nothing of it remains and the compiler can only be freed.
 */
int d_compile(struct d_compiler *compiler, const char *file, const char *text, size_t length,
	struct d_match *match, struct d_error *error);

/*
 * Ends compiling: checks what must hold for the whole command line. The program is the
 * caller's (d_program_free). The compiler is freed in any case.
 */
int d_compiler_finish(
	struct d_compiler *compiler, struct d_program **program, struct d_error *error);
void d_compiler_free(struct d_compiler *compiler);
void d_match_free(struct d_match *match);

#endif
