/*
 * tally.h: reads what BPF programs have aggregated (reduce.h) as partial results: each is what was
 * added since the last reading.
 *
 * The values that programs work on are never reset, since an update could be lost then. The reader
 * keeps what a value was at the last reading, and the difference is new. Least and greatest values
 * have no difference, and keys of an aggregation that is truncated must be given back; such an
 * aggregation's keys have the number of a round. Each reading begins a new round, whose values
 * begin empty. What a program still adds to an earlier round is found by the next reading; keys are
 * deleted when no program is left that has seen their round (reader_guard.h).
 */
#ifndef VMTAP_KERNEL_REDUCE_TALLY_H
#define VMTAP_KERNEL_REDUCE_TALLY_H

#include "base/hash_table.h"
#include "kernel/capture/ring_records.h"
#include "kernel/reduce/reduce.h"
#include "kernel/translate/reader_guard.h"
#include "kernel/translate/string_numbers.h"
#include "program/event.h"
#include "program/partial.h"
#include "program/probe.h"

struct arena;
struct usdt_unwind;

/* The values of one map when they were read last. */
struct kernel_baseline {
	unsigned char **elements; /* key, then value */
	size_t count, capacity;
	struct hash_table by_key;
};

struct kernel_reader {
	struct kernel_baseline *baselines; /* by tally */
	struct kernel_listed listed;
	struct kernel_guard_reader guard;
	uint64_t ending, ended; /* rounds before `ended` are over for good; so will be others */
	uint64_t span_began, span_read; /* the time, ns, that readings have taken since then */
	uint64_t span_keys;             /* that were read since then */
	uint64_t *lost, *reported; /* values of the map of losses: now, and when last reported */
	struct bucket_list {
		struct partial_bucket *items;
		size_t capacity;
	} buckets;
};

/* Finds the probe that a key with a name belongs to. */
struct kernel_site_names {
	void *context;
	const struct d_probe *(*probe)(void *context, uint64_t site); /* NULL: there is none */
};

/* Returns 0 or -ENOMEM. Call kernel_tally_end() in either case. */
int kernel_tally_begin(struct kernel_reader *reader, const struct kernel_reduction *reduction);
void kernel_tally_end(struct kernel_reader *reader, const struct kernel_reduction *reduction);

/*
 * Gives the sink what is new. Returns 0 or a negative errno; what could not be read is given at the
 * next call.
 */
int kernel_tally_read(struct kernel_reader *reader, const struct kernel_reduction *reduction,
	const struct kernel_site_names *names, const struct partial_sink *sink);

/*
 * Returns whether the update that a program has sent has a copy of a stack, which is to be unwound.
 */
bool kernel_tally_has_stack(const struct kernel_record *record);

/*
 * Returns the update that a program has sent (struct kernel_sent), and teaches the programs its
 * stack. unwind is that of the process which sent it, or NULL. The update is valid as long as the
 * arena and the record. Returns NULL if memory runs out or a key is not known.
 */
const struct event_update *kernel_tally_update(struct kernel_reader *reader,
	struct kernel_reduction *reduction, const struct kernel_site_names *names,
	const struct kernel_record *record, struct usdt_unwind *unwind, struct arena *arena);

/* Finds how many stores into variables found no room since the last call, and how many updates on
 * each processor; updates has room for cpu_count numbers. Returns false if there were none. */
bool kernel_tally_losses(struct kernel_reader *reader, const struct kernel_reduction *reduction,
	uint64_t *stores, uint64_t *updates);

#endif
