/*
 * top_table.h: what `vmtap top` shows: methods, and the VMs that they run in, with what each has
 * spent since the last snapshot. Aggregations only grow, so the table keeps the last value of each
 * of their rows and adds the difference. It knows nothing of how it is shown.
 */
#ifndef VMTAP_CLI_TOP_TABLE_H
#define VMTAP_CLI_TOP_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

enum top_column { TOP_SELF, TOP_TOTAL, TOP_CALLS, TOP_BYTES, TOP_COLUMNS };

/*
 * What is known of a VM: time in collections, time paused and pauses, bytes allocated, guest
 * threads that exist.
 */
enum top_figure { TOP_COLLECTING, TOP_PAUSED, TOP_PAUSES, TOP_ALLOCATED, TOP_THREADS, TOP_FIGURES };

enum {
	TOP_METHODS_MAX = 1 << 16, /* further methods of a process count for one with this name: */
	TOP_NAME_MAX = 255,        /* bytes of a method's name */
	TOP_PROGRAM_MAX = 31
};

/* Whatever a table has no row for. */
#define TOP_OTHER "[other]"

struct top_method {
	uint64_t pid;
	char *name;                  /* bytes of any kind */
	uint64_t spent[TOP_COLUMNS]; /* in the interval: ns, ns, calls, bytes */
};

struct top_vm {
	uint64_t pid;
	char program[TOP_PROGRAM_MAX + 1];
	uint64_t last[TOP_FIGURES], spent[TOP_FIGURES];
	bool is_known[TOP_FIGURES];
	uint64_t time;  /* that its methods have spent themselves in the interval, ns */
	bool is_asked;  /* the system, for its program */
	bool is_active; /* something has been measured of it in the interval */
	bool is_ended;  /* it no longer exists, and nothing has been measured of it */
};

struct top_last;

struct top_table {
	struct top_method *methods; /* in no order */
	size_t method_count, method_room;
	struct hash_table method_table; /* by pid and name */
	struct top_vm *vms;             /* by pid */
	size_t vm_count, vm_room;
	struct top_last *lasts;
	size_t last_room;
	struct hash_table last_table; /* by key */
	uint64_t begun;               /* when the interval began, ns */
	uint64_t interval;            /* its length; 0: there was none yet */
	uint64_t previous;            /* when the one before began */
	uint64_t least;        /* a shorter interval continues the one before; ns, 0: none does */
	uint64_t losing;       /* events lost since the interval ended */
	uint64_t lost;         /* events lost in the interval */
	const char *remedy;    /* what loses fewer events; NULL: nothing is known */
	const char *measure;   /* what a method's time is; NULL: there is no name for it */
	bool has[TOP_COLUMNS]; /* some method has spent something of it */
	bool expects[TOP_COLUMNS]; /* its script measures it */
	bool tells_cpu;            /* the time is CPU time, which is part of a VM's line */
	bool is_new;               /* the first snapshot is the beginning, not an interval */
};

void top_table_init(struct top_table *table);
void top_table_free(struct top_table *table);

/* A snapshot begins: what was spent is forgotten, unless its interval is too short to be one. now:
 * CLOCK_MONOTONIC, ns. */
void top_table_begin(struct top_table *table, uint64_t now);

/*
 * By how much a row of an aggregation has grown since the snapshot before; key is the row's, one
 * for each in all aggregations. A value that has become smaller has begun anew. -ENOMEM: *spent is
 * 0.
 */
int top_table_grown(struct top_table *table, uint64_t key, uint64_t value, uint64_t *spent);

/* The method's number, which holds as long as the table; that of TOP_OTHER if there are too many.
 * -ENOMEM: out of memory. */
int top_table_method(
	struct top_table *table, uint64_t pid, const char *name, size_t length, size_t *number);

static inline void top_table_spend(
	struct top_table *table, size_t method, enum top_column column, uint64_t amount)
{
	table->methods[method].spent[column] += amount;
	table->has[column] = true;
}

/* The VM of a pid, which is added; valid until the next call. NULL: out of memory. */
struct top_vm *top_table_vm(struct top_table *table, uint64_t pid);

/* Returns how many of the VMs have not ended, and are shown. */
size_t top_table_running(const struct top_table *table);

/* A figure of a VM has this value now; program: its name, NULL or "" if it is not known. */
int top_table_figure(struct top_table *table, uint64_t pid, const char *program,
	enum top_figure figure, uint64_t value);

/* ---- what is shown ---- */

enum top_order { TOP_BY_SELF, TOP_BY_TOTAL, TOP_BY_CALLS, TOP_BY_BYTES, TOP_BY_NAME, TOP_ORDERS };

/*
 * The methods that have spent anything in the interval, sorted, the largest first, of those whose
 * name contains filter ("": all). The caller frees the list. NULL: out of memory.
 */
const struct top_method **top_table_sorted(
	const struct top_table *table, enum top_order order, const char *filter, size_t *count);

/* Returns how many methods of a sorted list have rows: those after them are shown as 0; sorted by
 * their own time, so are those that only call others. */
size_t top_table_shown(const struct top_table *table, enum top_order order,
	const struct top_method *const *list, size_t count);

/*
 * Adds up what the methods of a sorted list have spent from one on, as a method of no process. Its
 * total is what they have spent themselves: the calls of one within another's would count twice.
 */
struct top_method top_table_rest(const struct top_method *const *list, size_t from, size_t count);

/* Hundredths of a percent of one processor over the interval. */
uint64_t top_table_share(const struct top_table *table, uint64_t spent);

/* How many a second. */
uint64_t top_table_rate(const struct top_table *table, uint64_t spent);

#endif
