/*
 * test_text_hash.c: texts that a traced program has chosen to collide with a hash that it knows
 * (FNV-1a, which these tables once used) have different hashes here.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "unit_main.h"

enum { STAGES = 12, BLOCK = 8, TEXTS = 1 << STAGES, TRIES = 1 << 18, SLOTS = 1 << 20 };

static uint32_t known(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* Finds two blocks that lead from a state to the same next one. */
static uint32_t find_pair(uint32_t state, char pair[2][BLOCK + 1])
{
	uint32_t *seen = calloc(SLOTS, sizeof(*seen)), hash = state;
	bool is_found = false;
	char text[BLOCK + 1];

	ck_assert_ptr_nonnull(seen);
	for (uint32_t i = 1; i < TRIES && !is_found; i++) {
		size_t at;

		snprintf(text, sizeof(text), "%08x", i * 2654435761u);
		hash = known(state, text);
		for (at = hash % SLOTS; seen[at] && !is_found; at = (at + 1) % SLOTS) {
			snprintf(pair[0], BLOCK + 1, "%08x", seen[at] * 2654435761u);
			is_found = known(state, pair[0]) == hash;
		}
		seen[at] = i;
	}
	strcpy(pair[1], text);
	free(seen);
	ck_assert(is_found);
	return hash;
}

static int compare(const void *one, const void *other)
{
	uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	return (a > b) - (a < b);
}

START_TEST(chosen_texts_do_not_collide)
{
	char pairs[STAGES][2][BLOCK + 1], text[STAGES * BLOCK + 1];
	static uint32_t hashes[TEXTS];
	uint32_t state = 2166136261u;
	unsigned different = 1;

	for (unsigned i = 0; i < STAGES; i++)
		state = find_pair(state, pairs[i]);
	for (unsigned i = 0; i < TEXTS; i++) {
		text[0] = '\0';
		for (unsigned j = 0; j < STAGES; j++)
			strcat(text, pairs[j][i >> j & 1]);
		ck_assert_uint_eq(known(2166136261u, text), state);
		hashes[i] = text_hash(text, (uint32_t)strlen(text));
		ck_assert_uint_ne(hashes[i], 0);
		ck_assert_uint_eq(hashes[i], text_hash(text, (uint32_t)strlen(text)));
	}
	qsort(hashes, TEXTS, sizeof(*hashes), compare);
	for (unsigned i = 1; i < TEXTS; i++)
		different += hashes[i] != hashes[i - 1];
	ck_assert_uint_gt(different, TEXTS - 16);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, chosen_texts_do_not_collide);
}
