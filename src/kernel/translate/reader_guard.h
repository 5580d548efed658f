/*
 * reader_guard.h: how the reader and the programs agree about keys and strings in maps that change.
 *
 * The reader tells the programs in struct kernel_guard which round it is (tally.h), and whether
 * they may add keys and strings to maps. Only the reader writes the struct.
 *
 * The reader may forget what it takes out of maps only when no program can still use it. So a
 * clause that uses it is guarded: the program counts in `inside`, for the phase that it finds, that
 * it has entered and, later, that it has left. In between it may wait for a page of the process.
 * The reader begins to wait by noting what is to be forgotten. It waits until all programs of the
 * other phase have left, changes the phase, and waits until those of the old phase have left. A
 * program that found the old phase and enters only then sees all that the reader has written
 * before. Both checks must read the counters of those that have left before the counters of those
 * that have entered.
 */
#ifndef VMTAP_KERNEL_TRANSLATE_READER_GUARD_H
#define VMTAP_KERNEL_TRANSLATE_READER_GUARD_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_reduction;
struct translator;

struct kernel_guard {
	uint64_t round;
	uint64_t phase;  /* 0 or 1 */
	uint64_t closed; /* not 0: no string is added to maps, nor a key that stays there */
	uint64_t limit;  /* from this number on strings are not listed (string_numbers.h) */
};

enum kernel_guard_state { KERNEL_GUARD_IDLE, KERNEL_GUARD_LATE, KERNEL_GUARD_OLD };

/* The reader's side. */
struct kernel_guard_reader {
	struct kernel_guard is; /* what the programs see */
	enum kernel_guard_state state;
	uint64_t *counts; /* room for a value of `inside` */
};

/* Makes the maps. Returns 0 or a negative errno. */
int kernel_guard_open(struct kernel_reduction *reduction);

/* Returns 0 or -ENOMEM. Call kernel_guard_end() in either case. */
int kernel_guard_begin(
	struct kernel_guard_reader *reader, const struct kernel_reduction *reduction);
void kernel_guard_end(struct kernel_guard_reader *reader);

/* Shows the programs the state in reader->is. */
void kernel_guard_show(
	const struct kernel_guard_reader *reader, const struct kernel_reduction *reduction);

/*
 * Begins to wait, if state is KERNEL_GUARD_IDLE, or checks whether the wait has ended. Returns
 * whether all guarded clauses that had been entered when it began have been left.
 */
bool kernel_guard_wait(
	struct kernel_guard_reader *reader, const struct kernel_reduction *reduction);

/* Generate the entry to a guarded clause and the exit from it. The phase is kept at a place of the
 * frame. Both change R0 to R3. */
void kernel_guard_generate_enter(struct translator *t, int place);
void kernel_guard_generate_leave(struct translator *t, int place);

/* Goes to `without` if nothing may be added to maps. Changes R0. */
void kernel_guard_generate_check(struct translator *t, uint32_t without);

#endif
