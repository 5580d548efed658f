/*
 * string_numbers.h: strings that are replaced by numbers in keys of aggregations, since a key of a
 * map has at most 512 bytes.
 *
 * A program that meets a new string takes the next number, which is never used again, and adds the
 * string to two maps: `texts` has the string by its number, `strings` the number by the string.
 *
 * If any aggregation is truncated, numbers are given back, so that the maps do not fill up with
 * strings that no key has any longer. Any number may be given back: a program that meets the string
 * again takes a new number, and the values of both numbers are added up. The clauses that use
 * numbers are guarded (reader_guard.h). Two things must hold:
 *
 * - No number is given back while the program that takes it is between the two maps. So a number is
 *   given back only after a wait that began after the number was taken.
 * - A number that is in a key has its text when the key is read. So the string is removed from
 *   `strings` first, and its text after a wait. The reader keeps the text even longer, until it has
 *   read all keys with the number. Keys of aggregations that are not truncated stay in their maps,
 *   so their numbers are not given back.
 *
 * If there is no number for a string, the update is sent (sent_updates.h).
 */
#ifndef VMTAP_KERNEL_TRANSLATE_STRING_NUMBERS_H
#define VMTAP_KERNEL_TRANSLATE_STRING_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_table.h"

struct kernel_reduction;
struct translator;

/* A text that the reader knows. */
struct kernel_listed_text {
	uint64_t number;
	char *text;
	bool is_kept;    /* a key that stays in its map has the number */
	bool is_removed; /* the number was given back: the string is not in `strings` any more */
	uint8_t waits;   /* that have ended since */
};

struct kernel_listed {
	struct kernel_listed_text *items;
	size_t count, capacity;
	struct hash_table by_number;
	/* Numbers below low have been given back or are kept; those below high may be. */
	uint64_t low, high, next_high;
};

/* ---- the programs' side ---- */

/* Sets R0 to the number of the string in the area; goes to `without` if there is no room for it. */
void kernel_listed_generate(struct translator *t, uint32_t without);

/* ---- the reader's side ---- */

/*
 * Returns the text of a number, which lives until the next kernel_listed_give_back(), or NULL if it
 * is not known or memory runs out. stays: for a key that stays in its map.
 */
const char *kernel_listed_find(struct kernel_listed *listed,
	const struct kernel_reduction *reduction, uint64_t number, bool stays);

/* Notes that a wait for guarded clauses begins, or has ended. */
void kernel_listed_begin_wait(
	struct kernel_listed *listed, const struct kernel_reduction *reduction);
void kernel_listed_end_wait(struct kernel_listed *listed, const struct kernel_reduction *reduction);

/* Gives back numbers if the maps fill up. Call it after all keys have been read. */
void kernel_listed_give_back(
	struct kernel_listed *listed, const struct kernel_reduction *reduction);

void kernel_listed_free(struct kernel_listed *listed);

#endif
