/*
 * compile.h: compiles D scripts to a program. This is the front end's only interface.
 *
 * A compiler serves one run. It reads scripts one after the other, in the command line's order;
 * they share what D shares. After that it is known what they need (d_compiler_asks()). The caller
 * then opens the necessary sources and hands over their probes (d_compiler_set_probes()). Each
 * script is read once, and each clause is compiled once. Clauses whose descriptions name the
 * engine's own probes are compiled as soon as they have been read, so that errors in them are found
 * before a source is opened. From the first other clause on, all are compiled when the probes are
 * known. If the probes are known from the start, the caller may hand them over before any script.
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

struct btf;
struct d_compiler;

/*
 * The pid namespace whose numbers processes have in scripts. Outside of the kernel's own, the
 * library reads the numbers that processes have at our level of nested namespaces.
 */
struct d_numbers {
	bool is_nested;
	uint32_t level; /* the kernel's own namespace is level 0 */
	uint64_t inode; /* of /proc/PID/ns/pid */
};

struct d_compile_settings {
	pid_t target;     /* $target, 0 if none */
	bool is_recorded; /* the target ran when a log was written */
	bool targets_any; /* $target in a probe description stands for every traced process */
	bool waits_for_programs; /* and a description may name a provider that is not known yet */
	bool waits;             /* processes may join: a description may match only absent probes */
	const char *name;       /* $0 for string programs: argv[0] */
	char *const *arguments; /* $1 ... */
	size_t argument_count;
	/*
	 * Options from the command line; NULL: none. A script may set more, for itself and the
	 * scripts after it.
	 */
	const struct d_options *options;
	const struct d_compile_options *compile_options; /* outlives the compiler */
	struct d_numbers numbers;
	struct btf *kernel_types; /* for structs that no script defines; NULL: there are none */
	/*
	 * The program computes constants itself, and does every conversion even where the value is
	 * known to fit. It does the same with more instructions, so that a test can compare.
	 */
	bool unoptimized;
};

/*
 * Finds the clauses of a program that a probe enables, one that was not known when the program was
 * compiled: one of the clause's descriptions matches it, and what args[] means in the clause holds
 * for it too. set: the one that the program was compiled with. Adds enablings for the probe's
 * number to the list. Returns 0 or -ENOMEM. *differs: some clause matches, but args[] would mean
 * something else.
 */
int d_program_match(const struct d_program *program, const struct d_probe_set *set,
	const struct d_probe *probe, uint32_t number, struct d_enablings *list, bool *differs);

/* What scripts need from their runner. */
struct d_asks {
	const struct d_asked *descriptions; /* those that need a source, in order */
	size_t description_count;
	bool source;      /* probes, providers or modules other than the engine's own */
	bool zdefs;       /* a description may match no probe */
	bool guest_stack; /* jstack() occurs */
	bool target;      /* $target occurs in the text */
	uint32_t process; /* the process in the first description that needs a source: 1234 for
			     ccl1234:::gc-start; 0: none, or it may match nothing */
	bool any; /* a description fits probes of any process, now or later: vm*:::gc-end, gc-end,
		     with zdefs also vm1234:::gc-end */
};

struct d_error {
	struct error message;  /* without "dtrace: failed to compile script ...: " */
	const char *tag;       /* "D_SYNTAX" and so on, for option errtags */
	uint32_t script;       /* its number, from 0; 0 for an error in a library */
	uint32_t line, column; /* 0 if the error has no position */
	char unmatched[256];   /* the description that matches no probe, if that is the error */
	bool is_advised;       /* and the message says what may have been meant */
};

/* What settings point to must outlive the compiler. -ENOMEM. */
int d_compiler_new(const struct d_compile_settings *settings, struct d_compiler **compiler);

/*
 * Reads the libraries of option libdir, without parsing them. *waits: one of them depends on
 * providers or modules other than the engine's own ("#pragma D depends_on"), so what is defined
 * depends on the probes of a source. The caller should then hand over the probes before any script.
 * A caller that does not call this gets what is defined without them. -EINVAL.
 */
int d_compiler_libraries(struct d_compiler *compiler, bool *waits, struct d_error *error);

/*
 * Defines what these say (program/probe.h) of providers that nothing else has defined, for scripts
 * that are read or compiled from now on: as libraries, which must agree with the probes that
 * sources have. To be called before d_compiler_set_probes(), as soon as the sources are open. All
 * must outlive the compiler. *wrong, at first 0, becomes the number of the first definition that is
 * left out, counted from 1, and error says why: call again with what comes after it. What of it was
 * read before the mistake stays defined. -EINVAL.
 */
int d_compiler_carry(struct d_compiler *compiler, const struct d_carried *carried, size_t count,
	const struct d_probe_set *probes, size_t *wrong, struct d_error *error);

/*
 * Which part of a probe's name the last part of a string program's descriptions is: set by -n, -f,
 * -m and -P; -i takes only numbers. Descriptions in files always end with the name.
 */
enum d_last_part { D_LAST_NONE = -1, D_LAST_PROVIDER, D_LAST_MODULE, D_LAST_FUNCTION, D_LAST_NAME };

/* Applies to the string programs that are read after it; the default is the name. */
void d_compiler_last_part(struct d_compiler *compiler, enum d_last_part last);

/*
 * Reads one script, and compiles what can be compiled of it: the text of a file (file is its name),
 * or a string program (file is NULL). Both must outlive the compiler. -EINVAL: no more scripts can
 * be read. An error in an earlier script that waits for the probes comes first;
 * d_compiler_set_probes() reports it.
 */
int d_parse_script(struct d_compiler *compiler, const char *file, const char *text, size_t length,
	struct d_error *error);

/* What the scripts that have been read need; valid as long as the compiler. */
const struct d_asks *d_compiler_asks(const struct d_compiler *compiler);

/*
 * There is a target after all: sets it for what has not been compiled yet. $target in texts that
 * have been read stays what it was.
 */
void d_compiler_set_target(struct d_compiler *compiler, pid_t target);

/* Processes may join after all; see the member waits of the settings. */
void d_compiler_wait(struct d_compiler *compiler);

/* The same, and programs may be executed that nobody knows yet: a description may name a provider
 * that no process has. */
void d_compiler_wait_for_programs(struct d_compiler *compiler);

/*
 * Hands over the probes of all sources and compiles what has waited for them. Tick probes are added
 * to the set, which must outlive compiler and program. To be called once. -EINVAL: the compiler can
 * then only be freed.
 */
int d_compiler_set_probes(
	struct d_compiler *compiler, struct d_probe_set *probes, struct d_error *error);

/*
 * Finishes compiling, after the probes have been set. The caller owns the program (d_program_free).
 * The compiler is freed.
 */
struct d_program *d_compiler_finish(struct d_compiler *compiler);
void d_compiler_free(struct d_compiler *compiler);

#endif
