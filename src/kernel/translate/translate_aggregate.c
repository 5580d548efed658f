/*
 * translate_aggregate.c: see translate_aggregate.h. An update changes the maps wholly or not at
 * all: the key is put together and found first, and if that fails, the update is sent.
 */
#include "kernel/translate/translate_aggregate.h"

#include <errno.h>

#include "base/arena.h"
#include "kernel/translate/aggregation_update.h"
#include "kernel/translate/reader_guard.h"
#include "kernel/translate/sent_updates.h"
#include "kernel/translate/stack_walk.h"
#include "kernel/translate/string_numbers.h"
#include "kernel/translate/translate_string.h"
#include "kernel/translate/translate_variables.h"

static struct kernel_tally *find_tally(struct translator *t, uint32_t instruction)
{
	struct kernel_reduction *reduction = t->reduction;

	for (size_t i = 0; i < reduction->tally_count; i++)
		if (reduction->tallies[i].clause == t->clause &&
			reduction->tallies[i].instruction == instruction)
			return &reduction->tallies[i];
	if (!t->is_trial ||
		array_room(&reduction->tallies, &reduction->tally_capacity, reduction->tally_count,
			sizeof(*reduction->tallies))) {
		t->status = -ENOMEM;
		return NULL;
	}
	reduction->tallies[reduction->tally_count] = (struct kernel_tally){
		.clause = t->clause, .instruction = instruction, .map = -1, .further = -1};
	return &reduction->tallies[reduction->tally_count++];
}

/* Finds how a register can be a key. Returns false if it cannot. */
static bool describe_key(struct translator *t, const struct held *held,
	const struct d_value_type *type, struct kernel_key *key)
{
	*key = (struct kernel_key){.kind = KERNEL_KEY_INTEGER};
	if (type->kind == D_VALUE_INTEGER)
		return held->kind == HELD_INTEGER;
	key->which = (uint32_t)held->number;
	if (type->kind == D_VALUE_STACK && held->kind == HELD_STACK) {
		key->kind = KERNEL_KEY_STACK;
		return true;
	}
	if (type->kind != D_VALUE_STRING)
		return false;
	switch (held->kind) {
	case HELD_STRING:
		key->kind = KERNEL_KEY_STRING;
		return true;
	case HELD_LITERAL:
		key->kind = KERNEL_KEY_LITERAL;
		return true;
	case HELD_EXECNAME:
		key->kind = KERNEL_KEY_EXECNAME;
		return true;
	case HELD_NAME:
		key->kind = KERNEL_KEY_NAME;
		t->found->names_site = true;
		return true;
	default:
		return false;
	}
}

/* Decides where each key goes; the last string itself is in the key. */
static bool lay_out_keys(struct translator *t, struct kernel_tally *tally, unsigned first)
{
	const struct d_aggregation *definition = &t->program->aggregations[tally->aggregation];
	int last = -1;
	uint32_t place;

	tally->key_count = definition->key_count;
	for (unsigned i = 0; i < definition->key_count; i++) {
		if (!describe_key(
			    t, &t->now.registers[first + i], &definition->keys[i], &tally->keys[i]))
			return false;
		if (tally->keys[i].kind == KERNEL_KEY_STRING)
			last = (int)i;
	}
	place = last < 0 ? 0 : t->reduction->string_bytes;
	for (unsigned i = 0; i < definition->key_count; i++) {
		struct kernel_key *key = &tally->keys[i];

		if (key->kind == KERNEL_KEY_STRING && (int)i != last) {
			key->kind = KERNEL_KEY_LISTED;
			t->reduction->lists_strings = true;
		}
		if (key->kind == KERNEL_KEY_LITERAL || key->kind == KERNEL_KEY_STRING)
			continue;
		key->place = place;
		place += key->kind == KERNEL_KEY_EXECNAME ? KERNEL_EXECNAME_BYTES : KERNEL_WORD;
	}
	place += tally->rotates ? KERNEL_WORD : 0;
	tally->key_bytes = place;
	return place <= t->area_bytes;
}

/* Writes all parts of the key that are not strings. */
static void put_words(struct translator *t, const struct kernel_tally *tally, unsigned first)
{
	const struct d_aggregation *definition = &t->program->aggregations[tally->aggregation];

	for (unsigned i = 0; i < tally->key_count; i++) {
		const struct kernel_key *key = &tally->keys[i];
		int place = t->area + (int)key->place;

		if (key->kind == KERNEL_KEY_STACK) {
			translator_walk(t, key->which, place);
		} else if (key->kind == KERNEL_KEY_INTEGER) {
			translator_put_key(t, first + i, &definition->keys[i], place);
		} else if (key->kind == KERNEL_KEY_EXECNAME) {
			translator_read_execname(t, place);
		} else if (key->kind == KERNEL_KEY_NAME) {
			bpf_read(t->code, BPF_REG_1, BPF_REG_10,
				stack_slot_place(&t->g->slots, STACK_SLOT_SITE), 8);
			bpf_write(t->code, KERNEL_FRAME, place, BPF_REG_1, 8);
		}
	}
}

/* Puts the key together; goes to `without` if the maps have no room for one of its strings. */
static void put_keys(
	struct translator *t, const struct kernel_tally *tally, unsigned first, uint32_t without)
{
	put_words(t, tally, first);
	for (unsigned i = 0; i < tally->key_count; i++) {
		if (tally->keys[i].kind != KERNEL_KEY_LISTED)
			continue;
		translator_read_string(t, first + i);
		kernel_listed_generate(t, without);
		bpf_write(t->code, KERNEL_FRAME, t->area + (int)tally->keys[i].place, BPF_REG_0, 8);
	}
	for (unsigned i = 0; i < tally->key_count; i++)
		if (tally->keys[i].kind == KERNEL_KEY_STRING)
			translator_read_string(t, first + i);
	if (tally->rotates) {
		bpf_set_map_value(t->code, BPF_REG_1, t->reduction->guard,
			offsetof(struct kernel_guard, round));
		bpf_read(t->code, BPF_REG_1, BPF_REG_1, 0, 8);
		bpf_write(t->code, KERNEL_FRAME, t->area + (int)tally->key_bytes - KERNEL_WORD,
			BPF_REG_1, 8);
	}
}

static void look_up_key(struct translator *t, int map, int key)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	translator_point(t, BPF_REG_2, key);
	bpf_call(t->code, BPF_FUNC_map_lookup_elem);
}

/* Looks up the key, after adding it if need be. */
static void add_key(struct translator *t, int map)
{
	bpf_set_map(t->code, BPF_REG_1, map);
	translator_point(t, BPF_REG_2, t->area);
	bpf_set_map_value(t->code, BPF_REG_3, t->reduction->zeroes, 0);
	bpf_set(t->code, BPF_REG_4, BPF_NOEXIST);
	bpf_call(t->code, BPF_FUNC_map_update_elem);
	look_up_key(t, map, t->area);
}

/*
 * Sets R0 to the address of the value of the key in the area; goes to `without` if the maps have no
 * room for the key. Two programs that add a key at the same time may add it to both maps: the
 * values of both count.
 */
static void find_value(struct translator *t, const struct kernel_tally *tally, uint32_t without)
{
	uint32_t found = bpf_label(t->code);

	if (!tally->key_bytes) {
		const int key = stack_slot_take(&t->g->slots, STACK_SLOT_VALUE);

		bpf_write_value(t->code, BPF_REG_10, key, 0, 8);
		look_up_key(t, tally->map, key);
		stack_slot_give_back(&t->g->slots, STACK_SLOT_VALUE);
	} else {
		look_up_key(t, tally->map, t->area);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		look_up_key(t, tally->further, t->area);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		if (!tally->rotates) /* others leave the map soon */
			kernel_guard_generate_check(t, without);
		add_key(t, tally->map);
		bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, found);
		add_key(t, tally->further);
	}
	bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_0, 0, without);
	bpf_place(t->code, found);
}

void translator_aggregate(struct translator *t, const struct d_instruction *at, uint32_t index)
{
	const struct d_aggregation *definition = &t->program->aggregations[at->immediate];
	bool distributes = definition->function >= D_AGGREGATE_QUANTIZE;
	const struct held *increment = &t->now.registers[at->c];
	uint32_t without = bpf_label(t->code), done = bpf_label(t->code);
	struct kernel_tally *tally = find_tally(t, index);

	if (!tally)
		return;
	if (t->is_trial) {
		tally->aggregation = (uint32_t)at->immediate;
		tally->rotates = kernel_reduction_rotates(t->program, tally->aggregation);
		tally->counts_updates =
			!distributes || !increment->is_constant || increment->number != 1;
		if (!kernel_update_words(
			    definition, tally->counts_updates, &tally->words, &tally->buckets) ||
			!lay_out_keys(t, tally, at->a)) {
			translator_refuse(t);
			return;
		}
	}
	if ((definition->function != D_AGGREGATE_COUNT &&
		    t->now.registers[at->b].kind != HELD_INTEGER) ||
		(distributes && increment->kind != HELD_INTEGER)) {
		translator_refuse(t);
		return;
	}
	put_keys(t, tally, at->a, without);
	for (unsigned i = 0; i < tally->key_count; i++) {
		if (tally->keys[i].kind != KERNEL_KEY_STACK)
			continue;
		bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, t->area + (int)tally->keys[i].place, 8);
		bpf_jump_if_value(t->code, BPF_JEQ, BPF_REG_1, 0, without);
	}
	find_value(t, tally, without);
	kernel_update_generate(t->code, definition, tally->counts_updates,
		translator_word(t, at->b), translator_word(t, at->c), without);
	bpf_jump(t->code, done);
	bpf_place(t->code, without);
	if (tally->key_bytes || definition->function != D_AGGREGATE_COUNT)
		translator_send(
			t, tally, at->a, translator_word(t, at->b), translator_word(t, at->c));
	else
		translator_count_drop(t); /* never reached; sending would need a frame */
	bpf_place(t->code, done);
}
