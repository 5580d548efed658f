/*
 * probe.h: the probes that D descriptions are matched against. A source fills a set before a script
 * is compiled; `dtrace` (BEGIN, END, ERROR) and tick probes are added by the compiler. Events and
 * byte code refer to a probe by its index in the set; the id that users see is the index + 1.
 */
#ifndef VMTAP_PROGRAM_PROBE_H
#define VMTAP_PROGRAM_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/hash_table.h"
#include "base/stability.h"

enum { D_PROBE_ARGUMENTS_MAX = 12 };

struct d_probe_argument {
	char *type; /* C type as in the provider's definition: "char *", "uint32_t" */
	char *name;
};

/*
 * A definition of a provider that comes with its events: text in D, without comments. It is data of
 * another process, so it may only define things: types, constants, translators, inlines, providers
 * and their stability.
 */
struct d_carried {
	const char *name; /* the provider's */
	const char *text;
	size_t length;
};

/* The patterns of a description that a script asks for; "" matches everything. */
struct d_asked {
	const char *provider, *module, *function, *name;
	bool is_optional; /* it is enough if others match (option anydefs) */
};

/* Copies descriptions and their texts into one block, for free(). NULL: out of memory. */
struct d_asked *d_asked_copy(const struct d_asked *asked, size_t count);

enum d_probe_kind {
	D_PROBE_SOURCE, /* fired by the event source */
	D_PROBE_BEGIN,
	D_PROBE_END,
	D_PROBE_ERROR,
	D_PROBE_TICK
};

struct d_probe {
	char *provider; /* "vm1234" */
	char *module;
	char *function;
	char *aliases; /* other names of the function, each with its NUL, then an empty one; NULL:
			  none */
	char *name;
	enum d_probe_kind kind;
	bool is_absent;   /* does not exist yet, but its process may create it */
	bool is_siteless; /* absent: its provider has it, but no object of the process can fire it
			   */
	bool is_expected; /* absent, and of no process yet: its module and function are unknown */
	bool is_place;    /* of the pid provider: its module is also known without its version */
	bool is_program;  /* its module is the process's program, also known as a.out */
	bool is_refused;  /* it is only listed; note says why it cannot be traced */
	char *note;       /* for listings: what to know before tracing it; NULL: nothing */
	uint64_t period;  /* of a tick probe, ns */
	uint32_t source_tag; /* the source's own number for it */
	bool has_stability;  /* its provider's definition came with it, and states this */
	struct stability stability[STABILITY_PARTS];
	uint16_t names; /* one bit for each argument that is known to be a string that recurs */
	uint16_t unreadable; /* one bit for each argument that some site of the probe does not have
				where the source could read it */
	uint8_t argument_count;
	struct d_probe_argument *arguments; /* that many */
	uint32_t next; /* private: 1 + the index of the next one of this name, 0: last */
};

/* The probes of one name: the indices of the first and of the last. */
struct d_probe_named {
	uint32_t first, last;
};

struct d_probe_kept;

/* What probes point to: each distinct text or list exists once, as long as the set. */
struct d_probe_keep {
	struct arena arena;
	struct d_probe_kept **kept;
	size_t capacity;
	struct hash_table table; /* of all that is kept */
};

struct d_probe_set {
	struct d_probe *probes;
	size_t count, capacity;
	struct d_probe_named *named;
	size_t named_capacity;
	struct hash_table by_name; /* of named */
	/* The source of the machine's probes is open: those that were asked for and exist are in
	 * the set. */
	bool has_machine;
	struct d_probe_keep keep;
};

/* Initialises a set with BEGIN, END and ERROR at the indices 0, 1 and 2. */
int d_probe_set_init(struct d_probe_set *set);
void d_probe_set_free(struct d_probe_set *set);

/*
 * Adds a probe; all that it points to is copied. Returns its index, -ENOMEM, or -EINVAL for more
 * than D_PROBE_ARGUMENTS_MAX arguments.
 */
long d_probe_set_add(struct d_probe_set *set, const struct d_probe *probe);

/* Removes the probes from this index on. */
void d_probe_set_cut(struct d_probe_set *set, size_t count);

/* Sets what listings say of a probe; the text is copied. -ENOMEM. */
int d_probe_set_note(struct d_probe_set *set, uint32_t probe, const char *note);

void d_probe_set_stability(
	struct d_probe *probe, const struct stability stability[STABILITY_PARTS]);

/*
 * The index of the next probe of this name after the given index, which must be one of this name
 * (-1: finds the first); -1: none.
 */
long d_probe_set_find(const struct d_probe_set *set, const char *name, long after);

/*
 * The arguments that name the function which the probe reports as entered or left, where the probe
 * itself is the same for all functions of a guest program: its class and method, else its first
 * string. Returns how many they are, 0 to 2; the probe of a single function has none.
 */
unsigned d_probe_named_by(const struct d_probe *probe, unsigned arguments[2]);

/* Whether a description's module, a glob or a name, means the probe's. */
bool d_probe_matches_module(const struct d_probe *probe, const char *module);

/* Whether a description's function, a glob or a name, means the probe's, by any of its names. */
bool d_probe_matches_function(const struct d_probe *probe, const char *function);

/* Whether a process has the probe, or is expected to have it. */
bool d_probe_is_known(const struct d_probe *probe);

/* Whether args[] mean the same for both: all types are the same. */
bool d_probe_same_arguments(const struct d_probe *one, const struct d_probe *other);

#endif
