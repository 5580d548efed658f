/* test_hash_table.c: random operations on a table and on a simple model have the same results. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_table.h"
#include "base/text.h"
#include "unit_main.h"

enum { KEYS = 512, OPERATIONS = 200000, MANY = 50000 };

/* Check's own assertions write to a pipe each time, which takes too long here. */
#define REQUIRE(condition)                                                                         \
	do {                                                                                       \
		if (!(condition))                                                                  \
			ck_abort_msg("not true: %s", #condition);                                  \
	} while (0)

/* The user of the table: keys in an array without gaps, in which the last element takes the place
 * of a removed one. */
struct user {
	struct hash_table table;
	uint32_t keys[KEYS], count;
	uint32_t hashes; /* there are only so many different ones */
};

/* The model: where each key is in the array. */
struct model {
	uint32_t index[KEYS]; /* HASH_TABLE_NONE: not there */
};

static uint32_t hash_of(const struct user *user, uint32_t key)
{
	/* the highest hashes too, whose entries go past the end of the table to its beginning */
	return hash_table_number(key) % user->hashes - 3;
}

static bool has_key(const void *elements, uint32_t index, const void *key)
{
	const struct user *user = elements;

	REQUIRE(index < user->count);
	return user->keys[index] == *(const uint32_t *)key;
}

static uint32_t find(const struct user *user, uint32_t key)
{
	return hash_table_find(&user->table, hash_of(user, key), has_key, user, &key);
}

static void add(struct user *user, struct model *model, uint32_t key)
{
	REQUIRE(hash_table_add(&user->table, hash_of(user, key), user->count) == 0);
	model->index[key] = user->count;
	user->keys[user->count++] = key;
}

static void remove_key(struct user *user, struct model *model, uint32_t key)
{
	uint32_t index = model->index[key], last = user->count - 1, moved = user->keys[last];

	REQUIRE(hash_table_remove(&user->table, hash_of(user, key), index));
	REQUIRE(!hash_table_remove(&user->table, hash_of(user, key), index));
	model->index[key] = HASH_TABLE_NONE;
	if (index != last) {
		REQUIRE(hash_table_move(&user->table, hash_of(user, moved), last, index));
		user->keys[index] = moved;
		model->index[moved] = index;
	}
	user->count--;
}

static void compare(const struct user *user, const struct model *model)
{
	uint32_t used = 0;

	for (uint32_t key = 0; key < KEYS; key++)
		REQUIRE(find(user, key) == model->index[key]);
	for (uint32_t i = 0; user->table.slots && i <= user->table.mask; i++)
		used += user->table.slots[i].entry != 0;
	REQUIRE(used == user->count);
	REQUIRE(user->table.count == user->count);
}

static void forget(struct user *user, struct model *model)
{
	hash_table_clear(&user->table);
	user->count = 0;
	memset(model, 0xff, sizeof(*model));
}

/* _i: the number of different hashes is 1 << _i. */
START_TEST(random_operations_give_what_a_model_gives)
{
	static struct user user;
	static struct model model;
	unsigned seed = 4711u + (unsigned)_i, most = KEYS;

	user = (struct user){.hashes = 1u << _i};
	memset(&model, 0xff, sizeof(model));
	for (int i = 0; i < OPERATIONS >> (_i < 4 ? 3 : 0); i++) {
		uint32_t key = (uint32_t)rand_r(&seed) % KEYS;

		if (i % 5000 ==
			0) /* so the table is nearly empty at times and nearly full at others */
			most = 1 + (unsigned)rand_r(&seed) % KEYS;
		REQUIRE(find(&user, key) == model.index[key]);
		if (model.index[key] != HASH_TABLE_NONE && (user.count > most || rand_r(&seed) % 2))
			remove_key(&user, &model, key);
		else if (model.index[key] == HASH_TABLE_NONE && user.count < most)
			add(&user, &model, key);
		if (i % 997 == 0)
			compare(&user, &model);
		if (rand_r(&seed) % 20000 == 0)
			forget(&user, &model);
	}
	compare(&user, &model);
	hash_table_free(&user.table);
	memset(&model, 0xff, sizeof(model));
	user.count = 0;
	compare(&user, &model);
}
END_TEST

START_TEST(an_empty_table_has_nothing)
{
	struct hash_table table = {0};

	ck_assert_uint_eq(hash_table_find(&table, 7, has_key, NULL, NULL), HASH_TABLE_NONE);
	ck_assert(!hash_table_remove(&table, 7, 0));
	ck_assert(!hash_table_move(&table, 7, 0, 1));
	hash_table_clear(&table);
	hash_table_free(&table);
	ck_assert_int_eq(hash_table_add(&table, 7, HASH_TABLE_NONE), -E2BIG);
	ck_assert_uint_eq(table.count, 0);
	ck_assert_ptr_null(table.slots);
}
END_TEST

static bool is_text(const void *elements, uint32_t index, const void *key)
{
	return !strcmp(((char(*)[16])elements)[index], key);
}

START_TEST(many_texts_are_found_after_growth)
{
	char(*texts)[16] = calloc(MANY, sizeof(*texts));
	struct hash_table table = {0};

	ck_assert_ptr_nonnull(texts);
	for (uint32_t i = 0; i < MANY; i++) {
		uint32_t hash;

		snprintf(texts[i], sizeof(texts[i]), "method%u", i);
		hash = text_hash(texts[i], (uint32_t)strlen(texts[i]));
		REQUIRE(hash_table_find(&table, hash, is_text, texts, texts[i]) == HASH_TABLE_NONE);
		REQUIRE(!hash_table_room(&table));
		REQUIRE(!hash_table_add(&table, hash, i));
	}
	ck_assert_uint_eq(table.count, MANY);
	ck_assert_uint_ge((uint64_t)table.mask + 1, (uint64_t)MANY * 3 / 2);
	for (uint32_t i = 0; i < MANY; i++)
		REQUIRE(hash_table_find(&table, text_hash(texts[i], (uint32_t)strlen(texts[i])),
				is_text, texts, texts[i]) == i);
	hash_table_free(&table);
	free(texts);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_loop_test(tests, random_operations_give_what_a_model_gives, 0, 12);
	tcase_add_test(tests, an_empty_table_has_nothing);
	tcase_add_test(tests, many_texts_are_found_after_growth);
}
