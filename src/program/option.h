/*
 * option.h: the options of D ("-x name=value", "#pragma D option", setopt()): their names,
 * the forms of their values, and what each of them sets.
 *
 * An option sets a member of one of two structs: struct d_options is part of the program and is
 * read by the engine; struct d_compile_options is read by the preprocessor and the compiler and is
 * not needed after compilation. The table in option.c says which.
 */
#ifndef VMTAP_PROGRAM_OPTION_H
#define VMTAP_PROGRAM_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stability.h"

enum { D_SPECULATIONS_MAX = 1024, D_VERSION_CURRENT = 2 << 24 };

/* When records are carried out, and what happens when they exceed bufsize. */
enum d_buffer_policy {
	D_BUFFER_SWITCH, /* they are carried out as they come */
	D_BUFFER_FILL,   /* at the end; a full buffer ends tracing */
	D_BUFFER_RING    /* at the end; new ones replace the oldest */
};

enum d_encoding { D_ENCODING_UNSET, D_ENCODING_ASCII, D_ENCODING_UTF8 };
enum d_output_form { D_OUTPUT_TEXT, D_OUTPUT_JSON };

/* At an interval of CPU time or of elapsed time, or by bytes allocated; 0: not. */
struct d_sampling {
	uint64_t period; /* ns */
	uint64_t bytes;
	bool is_elapsed; /* the period */
};

/* Run-time options (times in ns, sizes in bytes). d_options_init() sets the defaults. */
struct d_options {
	bool quiet;
	bool flowindent;
	bool rawbytes;
	bool droptags;
	bool destructive;
	enum d_buffer_policy bufpolicy;
	int cpu; /* the only one to trace, -1: all */
	int nspec;
	uint64_t specsize;
	bool aggsortkey, aggsortrev;
	bool agghist, aggpack, aggzoom, aggpercpu;
	bool reduce;       /* sources may carry out clauses that only aggregate */
	bool mangled;      /* names of C++ and Rust functions are shown as linkers have them */
	bool rawnames;     /* text of the traced program reaches a terminal as it is */
	bool unsafesystem; /* system() runs whatever text of it */
	bool table;        /* lines of the same columns are a table: see engine/output/table.h */
	enum d_encoding encoding; /* of bars */
	enum d_output_form format;
	int aggsortpos, aggsortkeypos;
	uint64_t switchrate, statusrate;
	uint64_t strsize, bufsize, aggsize, dynvarsize, scratchsize, printsize;
	int stackframes, ustackframes, jstackframes;
	int stackindent;
	uint64_t heapsample;      /* ns between counts of a VM's heap for vm:::heap-sample */
	struct d_sampling sample; /* what VMs are asked to fire vm:::sample for */
};

/* The values of an option that may be given several times, in the order given. */
struct d_option_texts {
	char **items;
	size_t count, room;
};

/* Options of the preprocessor and the compiler. All zero: the defaults. */
struct d_compile_options {
	bool error_tags;  /* errtags: messages begin with "[D_TAG] " */
	bool argref;      /* arguments that no script uses are not an error */
	bool defaultargs; /* $n without an argument is 0 or "" */
	bool empty;       /* a script may be empty */
	bool pspec;       /* a word outside clauses is always a probe description */
	bool nolibs;
	bool zdefs;   /* a description may match no probe */
	bool anydefs; /* the same, if another of the script does match one */
	bool has_amin;
	struct stability amin; /* the least attributes that a script may rely on */
	uint32_t version;      /* of D, from d_version_parse(); 0: the current one */
	/* Only from the command line, because these are used before a program is read. */
	struct d_option_texts libdir;        /* folders of libraries */
	bool cpp;                            /* files are run through the preprocessor */
	char *cpppath;                       /* NULL: cpp, found through PATH */
	struct d_option_texts cpp_arguments; /* "-DNAME" and so on */
};

void d_options_init(struct d_options *options);
void d_compile_options_free(struct d_compile_options *options);

/*
 * Sets an option before tracing; value is NULL when there is no '='. in_program: it was found in a
 * script. Returns NULL if done, else what is wrong, in DTrace's words. Texts are copied.
 */
const char *d_option_set(struct d_options *options, struct d_compile_options *compile_options,
	const char *name, const char *value, bool in_program);

enum { D_OPTION_SIMILAR_MAX = 96 };

/* " (did you mean NAME?)" if no option has this name and one has a name much like it, else "". */
const char *d_option_similar(const char *name, char text[D_OPTION_SIMILAR_MAX]);

/*
 * setopt(), while tracing is active: only dynamic options may be set. Returns as d_option_set()
 * does; when something is wrong, nothing is changed.
 */
const char *d_option_set_running(struct d_options *options, const char *name, const char *value);

/*
 * Parses a unit of time as in rates and tick probes, in any case: "ms" is 1000000 ns. For "hz",
 * *is_rate is set and *nanoseconds is one second, to be divided by the rate. False: no such unit.
 */
bool d_rate_unit(const char *suffix, uint64_t *nanoseconds, bool *is_rate);

/*
 * Parses "2.0" or "1.6.3" into one number; a later version has a larger number. False: not a
 * version.
 */
bool d_version_parse(const char *text, uint32_t *version);

#endif
