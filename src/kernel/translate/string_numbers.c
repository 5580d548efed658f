/*
 * string_numbers.c: see string_numbers.h. Numbers only grow; those below `low` are settled. Texts
 * that are no longer needed are removed from the array at the end of a wait, never while a key with
 * their number may still be read.
 */
#include "kernel/translate/string_numbers.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/debug.h"
#include "kernel/bpf/bpf.h"
#include "kernel/translate/reader_guard.h"
#include "kernel/translate/reduction.h"
#include "kernel/translate/translator.h"

enum {
	FULL_PART = 8,        /* numbers are given back when an eighth of the room is taken */
	GIVEN_AT_ONCE = 8192, /* a bound on the time that one reading takes */
	/* Waits that must end after a string is removed: until no program uses its number any more
	 * (the first wait may have begun before), and until no key contains the number. */
	TEXT_WAITS = 2,
	LAST_WAITS = 3
};

/* ---- the programs' side ---- */

static void look_up_string(struct translator *t, int map, int place)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	translator_point(t, BPF_REG_2, place);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
}

static void add_element(struct translator *t, int map, int key, int value)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	translator_point(t, BPF_REG_2, key);
	translator_point(t, BPF_REG_3, value);
	bpf_set(t->code, BPF_REG_4, BPF_NOEXIST);
	bpf_call(t->code, BPF_FUNC_map_update_elem);
}

void kernel_listed_generate(struct translator *t, uint32_t without)
{
	const struct kernel_reduction *reduction = t->reduction;
	uint32_t found = bpf_label(t->code), added = bpf_label(t->code);
	int number;

	look_up_string(t, reduction->strings, t->area);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
	kernel_guard_generate_check(t, without);
	bpf_set_map_value(
		t->code, BPF_REG_1, reduction->guard, offsetof(struct kernel_guard, limit));
	bpf_read(t->code, BPF_REG_2, BPF_REG_1, 0, 8);
	bpf_set_map_value(t->code, BPF_REG_1, reduction->numbers, 0);
	bpf_read(t->code, BPF_REG_0, BPF_REG_1, 0, 8);
	bpf_jump_if(t->code, BPF_JGE, BPF_REG_0, BPF_REG_2, without);
	bpf_set(t->code, BPF_REG_0, 1);
	bpf_atomic(t->code, BPF_ADD | BPF_FETCH, BPF_REG_1, 0, BPF_REG_0);
	number = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);
	bpf_write(t->code, BPF_REG_10, number, BPF_REG_0, 8);
	add_element(t, reduction->texts, number, t->area);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, without);
	add_element(t, reduction->strings, t->area, number);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, added);
	/* another program was first, or there is no room */
	bpf_set_map(t->code, BPF_REG_1, reduction->texts);
	translator_point(t, BPF_REG_2, number);
	bpf_call(t->code, BPF_FUNC_map_delete_elem);
	stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	bpf_place(t->code, added);
	look_up_string(t, reduction->strings, t->area);
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, without);
	bpf_place(t->code, found);
	bpf_read(t->code, BPF_REG_0, BPF_REG_0, 0, 8);
}

/* ---- the reader's side ---- */

static bool is_number(const void *items, uint32_t index, const void *number)
{
	return ((const struct kernel_listed_text *)items)[index].number ==
		*(const uint64_t *)number;
}

/* Returns whether no key can have this text any more. */
static bool is_over(const struct kernel_listed_text *item)
{
	return item->waits == LAST_WAITS && !item->is_kept;
}

/* Frees the texts that are no longer needed. */
static void forget_texts(struct kernel_listed *listed)
{
	size_t left = 0;

	hash_table_clear(&listed->by_number);
	for (size_t i = 0; i < listed->count; i++) {
		struct kernel_listed_text item = listed->items[i];

		if (is_over(&item)) {
			free(item.text);
			continue;
		}
		/* the table has had room for all of them */
		hash_table_add(&listed->by_number, hash_table_number(item.number), (uint32_t)left);
		listed->items[left++] = item;
	}
	listed->count = left;
}

/* Reads the text that the map has for a number. */
static char *read_text(const struct kernel_reduction *reduction, uint64_t number)
{
	char *room = calloc(1, reduction->string_bytes), *text = NULL;

	if (room && !bpf_map_get(reduction->texts, &number, room))
		text = strndup(room, reduction->string_bytes);
	free(room);
	return text;
}

/* Returns the text of a number, which is read from the map if need be. */
static struct kernel_listed_text *find_text(
	struct kernel_listed *listed, const struct kernel_reduction *reduction, uint64_t number)
{
	uint32_t hash = hash_table_number(number);
	uint32_t index =
		hash_table_find(&listed->by_number, hash, is_number, listed->items, &number);
	char *text;

	if (index != HASH_TABLE_NONE)
		return &listed->items[index];
	if (array_room(&listed->items, &listed->capacity, listed->count, sizeof(*listed->items)))
		return NULL;
	text = read_text(reduction, number);
	if (!text || hash_table_add(&listed->by_number, hash, (uint32_t)listed->count)) {
		free(text);
		return NULL;
	}
	listed->items[listed->count] = (struct kernel_listed_text){.number = number, .text = text};
	return &listed->items[listed->count++];
}

const char *kernel_listed_find(struct kernel_listed *listed,
	const struct kernel_reduction *reduction, uint64_t number, bool stays)
{
	struct kernel_listed_text *item = find_text(listed, reduction, number);

	if (item)
		item->is_kept |= stays;
	return item ? item->text : NULL;
}

/* Called when a wait has ended since numbers were given back. */
static void age_texts(struct kernel_listed *listed, const struct kernel_reduction *reduction)
{
	bool is_any_over = false;

	for (size_t i = 0; i < listed->count; i++) {
		struct kernel_listed_text *item = &listed->items[i];

		if (!item->is_removed || item->waits == LAST_WAITS)
			continue;
		if (++item->waits == TEXT_WAITS)
			bpf_map_delete(reduction->texts, &item->number);
		is_any_over |= is_over(item);
	}
	if (is_any_over)
		forget_texts(listed);
}

void kernel_listed_begin_wait(
	struct kernel_listed *listed, const struct kernel_reduction *reduction)
{
	const uint32_t index = 0;
	uint64_t number;

	if (reduction->numbers >= 0 && !bpf_map_get(reduction->numbers, &index, &number))
		listed->next_high = number;
}

void kernel_listed_end_wait(struct kernel_listed *listed, const struct kernel_reduction *reduction)
{
	listed->high = listed->next_high;
	age_texts(listed, reduction);
}

void kernel_listed_give_back(struct kernel_listed *listed, const struct kernel_reduction *reduction)
{
	uint64_t end = listed->high, given = 0;
	char *key;

	if (listed->high - listed->low <= reduction->strings_max / FULL_PART)
		return;
	key = malloc(reduction->string_bytes);
	if (!key)
		return;
	if (end - listed->low > GIVEN_AT_ONCE)
		end = listed->low + GIVEN_AT_ONCE;
	for (; listed->low < end; listed->low++) {
		struct kernel_listed_text *item = find_text(listed, reduction, listed->low);

		if (!item || item->is_kept)
			continue;
		item->is_removed = true;
		memset(key, 0, reduction->string_bytes);
		memcpy(key, item->text, strnlen(item->text, reduction->string_bytes));
		bpf_map_delete(reduction->strings, key);
		given++;
	}
	free(key);
	debug_say(DEBUG_KERNEL, "%llu of the strings in keys are given back",
		(unsigned long long)given);
}

void kernel_listed_free(struct kernel_listed *listed)
{
	for (size_t i = 0; i < listed->count; i++)
		free(listed->items[i].text);
	free(listed->items);
	hash_table_free(&listed->by_number);
	*listed = (struct kernel_listed){0};
}
