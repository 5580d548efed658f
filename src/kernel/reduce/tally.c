/*
 * tally.c: see tally.h. A reading goes over each map once and compares each value with what it was
 * at the last reading (struct kernel_baseline). Values in the maps must never be set back; a key
 * whose strings or stack are not known yet is left for the next reading.
 */
#include "kernel/reduce/tally.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/debug.h"
#include "base/text.h"
#include "kernel/bpf/bpf.h"
#include "kernel/translate/aggregation_update.h"
#include "kernel/translate/sent_updates.h"
#include "usdt/unwind/unwind.h"

enum {
	READ_AT_ONCE = 256,
	/* Parts of the time that readings take when programs must stop adding keys, and when they
	 * may begin again. */
	CLOSING_PART = 5,
	OPENING_PART = 20,
	CLOSING_KEYS = 4096,  /* with fewer, something other than keys has taken the time */
	SPAN_LEAST = 50000000 /* ns; readings are timed for so long at least */
};

/* One reading. */
struct reading {
	struct kernel_reader *reader;
	const struct kernel_reduction *reduction;
	struct kernel_reduction *learning; /* the same, where stacks are learned */
	const struct kernel_site_names *names;
	const struct partial_sink *sink;
	const struct kernel_tally *tally;
	struct kernel_baseline *baseline;
	uint32_t key_bytes, value_words;
	/* Of an update that was sent: its strings that are still to be read. */
	const char *strings, *strings_end;
	uint64_t last_length; /* of the key's last string */
};

int kernel_tally_begin(struct kernel_reader *reader, const struct kernel_reduction *reduction)
{
	*reader = (struct kernel_reader){0};
	reader->baselines = calloc(2 * reduction->tally_count + 1, sizeof(*reader->baselines));
	reader->lost = calloc(reduction->cpu_count + 1, sizeof(*reader->lost));
	reader->reported = calloc(reduction->cpu_count + 1, sizeof(*reader->reported));
	reader->span_began = clock_monotonic();
	if (kernel_guard_begin(&reader->guard, reduction))
		return -ENOMEM;
	return reader->baselines && reader->lost && reader->reported ? 0 : -ENOMEM;
}

static void free_baseline(struct kernel_baseline *baseline)
{
	for (size_t i = 0; i < baseline->count; i++)
		free(baseline->elements[i]);
	free(baseline->elements);
	hash_table_free(&baseline->by_key);
	*baseline = (struct kernel_baseline){0};
}

void kernel_tally_end(struct kernel_reader *reader, const struct kernel_reduction *reduction)
{
	for (size_t i = 0; reader->baselines && i < 2 * reduction->tally_count; i++)
		free_baseline(&reader->baselines[i]);
	kernel_listed_free(&reader->listed);
	kernel_guard_end(&reader->guard);
	free(reader->baselines);
	free(reader->buckets.items);
	free(reader->lost);
	free(reader->reported);
	*reader = (struct kernel_reader){0};
}

/* ---- what was read last ---- */

static bool is_key(const void *context, uint32_t index, const void *key)
{
	const struct reading *reading = context;

	return !memcmp(reading->baseline->elements[index], key, reading->key_bytes);
}

static uint32_t hash_of(const struct reading *reading, const void *key)
{
	return text_hash(key, reading->key_bytes);
}

/*
 * Returns the words that a key had at the last reading, zeroes at first; NULL if memory runs out.
 */
static uint64_t *last_words(struct reading *reading, const void *key)
{
	struct kernel_baseline *baseline = reading->baseline;
	size_t room = (reading->key_bytes + 7) & ~(size_t)7;
	uint32_t hash = hash_of(reading, key);
	uint32_t at = hash_table_find(&baseline->by_key, hash, is_key, reading, key);
	unsigned char *element;

	if (at != HASH_TABLE_NONE)
		return (uint64_t *)(void *)(baseline->elements[at] + room);
	if (array_room(&baseline->elements, &baseline->capacity, baseline->count,
		    sizeof(*baseline->elements)))
		return NULL;
	element = calloc(1, room + 8 * reading->value_words);
	if (!element || hash_table_add(&baseline->by_key, hash, (uint32_t)baseline->count)) {
		free(element);
		return NULL;
	}
	memcpy(element, key, reading->key_bytes);
	baseline->elements[baseline->count++] = element;
	return (uint64_t *)(void *)(element + room);
}

static uint64_t round_of(const struct reading *reading, const void *key)
{
	uint64_t round;

	memcpy(&round, (const char *)key + reading->key_bytes - sizeof(round), sizeof(round));
	return round;
}

/* Forgets the keys of rounds that have ended for good. */
static void forget_rounds(struct reading *reading)
{
	struct kernel_baseline *baseline = reading->baseline;
	size_t left = 0;

	hash_table_clear(&baseline->by_key);
	for (size_t i = 0; i < baseline->count; i++) {
		unsigned char *element = baseline->elements[i];

		if (round_of(reading, element) < reading->reader->ended) {
			free(element);
			continue;
		}
		/* the table has had room for all of them */
		hash_table_add(&baseline->by_key, hash_of(reading, element), (uint32_t)left);
		baseline->elements[left++] = element;
	}
	baseline->count = left;
}

/* ---- keys ---- */

static const char *site_name(const struct reading *reading, uint64_t site, uint32_t which)
{
	const struct d_probe *probe = reading->names->probe(reading->names->context, site);

	if (!probe)
		return NULL;
	switch (which) {
	case D_BUILTIN_PROBEPROV:
		return probe->provider;
	case D_BUILTIN_PROBEMOD:
		return probe->module;
	case D_BUILTIN_PROBEFUNC:
		return probe->function;
	default:
		return probe->name;
	}
}

/* Finds a stack that is a key. Returns false if no stack has this number. */
static bool find_stack(const struct reading *reading, uint64_t number, struct text *text)
{
	size_t count;
	const uint64_t *words = kernel_stacks_words(&reading->reduction->stacks, number, &count);

	if (words)
		*text = (struct text){
			.bytes = (const char *)words, .length = (uint32_t)(count * sizeof(*words))};
	return words != NULL;
}

/* Returns the next string of an update that was sent; NULL if the record does not have it. */
static const char *next_string(struct reading *reading, uint64_t length)
{
	const char *string = reading->strings;
	uint64_t room = (length + 7) & ~UINT64_C(7);

	if (!length || room > (uint64_t)(reading->strings_end - string))
		return NULL;
	reading->strings += room;
	return string;
}

/* Decodes the keys, except those that are stacks, into the form that clauses use. Returns false if
 * one is not known. */
static bool decode_keys(
	struct reading *reading, const unsigned char *bytes, uint64_t *keys, struct text *texts)
{
	const struct kernel_tally *tally = reading->tally;

	for (unsigned i = 0; i < tally->key_count; i++) {
		const struct kernel_key *key = &tally->keys[i];
		size_t room = key->kind == KERNEL_KEY_EXECNAME ? KERNEL_EXECNAME_BYTES : SIZE_MAX;
		const char *string = NULL;
		uint64_t word;

		if (key->kind == KERNEL_KEY_LITERAL) {
			keys[i] = (uintptr_t)&reading->reduction->program->strings[key->which];
			continue;
		}
		memcpy(&word, bytes + key->place, sizeof(word));
		keys[i] = word;
		if (key->kind == KERNEL_KEY_INTEGER)
			continue;
		if (key->kind == KERNEL_KEY_STACK) {
			keys[i] = (uintptr_t)&texts[i];
			continue;
		}
		if (reading->strings &&
			(key->kind == KERNEL_KEY_STRING || key->kind == KERNEL_KEY_LISTED)) {
			room = key->kind == KERNEL_KEY_STRING ? reading->last_length : word;
			string = next_string(reading, room);
		} else if (key->kind == KERNEL_KEY_STRING || key->kind == KERNEL_KEY_EXECNAME)
			string = (const char *)bytes + key->place;
		else if (key->kind == KERNEL_KEY_LISTED)
			string = kernel_listed_find(&reading->reader->listed, reading->reduction,
				word, !tally->rotates);
		else
			string = site_name(reading, word, key->which);
		if (!string)
			string = key->kind == KERNEL_KEY_NAME ? "" : NULL;
		if (!string)
			return false;
		texts[i] =
			(struct text){.bytes = string, .length = (uint32_t)strnlen(string, room)};
		keys[i] = (uintptr_t)&texts[i];
	}
	return true;
}

/* Finds the keys that are stacks, by their numbers. */
static bool decode_stacks(
	const struct reading *reading, const unsigned char *bytes, struct text *texts)
{
	const struct kernel_tally *tally = reading->tally;
	uint64_t number;

	for (unsigned i = 0; i < tally->key_count; i++) {
		if (tally->keys[i].kind != KERNEL_KEY_STACK)
			continue;
		memcpy(&number, bytes + tally->keys[i].place, sizeof(number));
		if (!find_stack(reading, number, &texts[i]))
			return false;
	}
	return true;
}

/* ---- values ---- */

/* Makes one value of the values of all processors. */
static void add_up(const struct reading *reading, uint64_t *words, uint32_t cpu_count)
{
	enum d_aggregating function =
		reading->reduction->program->aggregations[reading->tally->aggregation].function;
	bool is_extreme = function == D_AGGREGATE_MIN || function == D_AGGREGATE_MAX;

	for (uint32_t cpu = 1; cpu < cpu_count; cpu++) {
		const uint64_t *more = words + (size_t)cpu * reading->value_words;

		for (uint32_t i = 0; i < reading->value_words; i++) {
			if (!is_extreme || i == 0)
				words[i] += more[i];
			else if (more[i] > words[i])
				words[i] = more[i];
		}
	}
}

static void find_squares(const uint64_t *parts, const uint64_t *last, uint64_t *squares)
{
	unsigned __int128 sum = 0;

	for (unsigned i = 0; i < KERNEL_SQUARE_PARTS; i++)
		sum += (unsigned __int128)(parts[i] - last[i]) << 32 * i;
	squares[0] = (uint64_t)sum;
	squares[1] = (uint64_t)(sum >> 64);
}

/* Finds the buckets with something new, and adds up their updates if wanted. Returns their number,
 * or -ENOMEM. */
static int find_buckets(
	struct reading *reading, const uint64_t *words, const uint64_t *last, uint64_t *updates)
{
	const struct kernel_tally *tally = reading->tally;
	struct bucket_list *list = &reading->reader->buckets;
	uint32_t first = tally->counts_updates;
	int count = 0;

	for (uint32_t i = 0; i < tally->buckets; i++) {
		uint64_t more = words[first + i] - last[first + i];

		if (!more)
			continue;
		if (array_room(&list->items, &list->capacity, (size_t)count, sizeof(*list->items)))
			return -ENOMEM;
		list->items[count++] = (struct partial_bucket){.bucket = i, .count = (int64_t)more};
		if (!tally->counts_updates)
			*updates += more;
	}
	return count;
}

/* Gives the sink what is new of a key; words are its value now. Returns 0 or -ENOMEM. */
static int give_partial(struct reading *reading, const unsigned char *key, const uint64_t *words)
{
	const struct kernel_tally *tally = reading->tally;
	const struct d_aggregation *definition =
		&reading->reduction->program->aggregations[tally->aggregation];
	struct partial partial = {.aggregation = tally->aggregation};
	struct text texts[D_KEYS_MAX];
	uint64_t keys[D_KEYS_MAX], *last = last_words(reading, key);
	bool counts = tally->counts_updates || definition->function == D_AGGREGATE_COUNT;

	if (!last)
		return -ENOMEM;
	if (counts)
		partial.updates = words[0] - last[0];
	if (counts && !partial.updates)
		return 0;
	if (definition->function >= D_AGGREGATE_QUANTIZE) {
		int count = find_buckets(reading, words, last, &partial.updates);

		if (count < 0)
			return count;
		partial.buckets = reading->reader->buckets.items;
		partial.bucket_count = (size_t)count;
		partial.value = words[tally->words - 1] - last[tally->words - 1];
	} else if (definition->function == D_AGGREGATE_MIN ||
		definition->function == D_AGGREGATE_MAX) {
		partial.value = kernel_update_decode(definition->function, words[1]);
	} else if (definition->function != D_AGGREGATE_COUNT) {
		partial.value = words[1] - last[1];
	}
	if (definition->function == D_AGGREGATE_STDDEV)
		find_squares(words + 2, last + 2, partial.squares);
	if (!partial.updates || !decode_keys(reading, key, keys, texts) ||
		!decode_stacks(reading, key, texts))
		return 0;
	partial.keys = keys;
	reading->sink->add(reading->sink->context, &partial);
	memcpy(last, words, 8 * (size_t)reading->value_words);
	return 0;
}

/* ---- maps ---- */

static int read_array(struct reading *reading, int map, uint64_t *words, uint32_t cpu_count)
{
	const uint32_t index = 0;
	int result = bpf_map_get(map, &index, words);

	if (result)
		return result;
	add_up(reading, words, cpu_count);
	return give_partial(reading, (const unsigned char *)"", words);
}

static int read_hash(struct reading *reading, int map, unsigned char *keys, uint64_t *words,
	uint32_t room, uint32_t cpu_count)
{
	const struct kernel_tally *tally = reading->tally;
	uint32_t at = 0, count;
	bool is_first = true;
	int result = 0, read;

	do {
		count = room;
		read = bpf_map_read(map, is_first, &at, keys, words, &count);
		is_first = false;
		reading->reader->span_keys += count;
		for (uint32_t i = 0; i < count && !result; i++) {
			const unsigned char *key = keys + (size_t)i * tally->key_bytes;
			uint64_t *value = words + (size_t)i * reading->value_words * cpu_count;

			add_up(reading, value, cpu_count);
			result = give_partial(reading, key, value);
			if (!result && tally->rotates &&
				round_of(reading, key) < reading->reader->ended)
				bpf_map_delete(map, key);
		}
	} while (!read && !result);
	return result ? result : read == -ENOENT ? 0 : read;
}

static int read_map(struct reading *reading, int map, uint32_t room, uint32_t cpu_count)
{
	const struct kernel_tally *tally = reading->tally;
	uint64_t *words = calloc(room, 8 * (size_t)tally->words * cpu_count);
	unsigned char *keys = malloc((size_t)room * (tally->key_bytes + 1));
	int result = -ENOMEM;

	if (words && keys)
		result = tally->key_bytes ? read_hash(reading, map, keys, words, room, cpu_count)
					  : read_array(reading, map, words, cpu_count);
	free(words);
	free(keys);
	return result;
}

/* Reads all elements of a map. A bucket of the kernel's table may have more elements than there is
 * room for. */
static int read_all(struct reading *reading, int map, uint32_t cpu_count)
{
	uint32_t room = READ_AT_ONCE;
	int result;

	if (map < 0)
		return 0;
	if (!reading->key_bytes)
		return read_map(reading, map, 1, cpu_count);
	while ((result = read_map(reading, map, room, cpu_count)) == -ENOSPC &&
		room < READ_AT_ONCE << 12)
		room *= 4;
	return result;
}

static int read_tally(struct reading *reading, const struct kernel_tally *tally, size_t number)
{
	struct kernel_baseline *baselines = &reading->reader->baselines[2 * number];
	int result, further;

	reading->tally = tally;
	reading->key_bytes = tally->key_bytes;
	reading->value_words = tally->words;
	reading->baseline = &baselines[0];
	result = read_all(reading, tally->map, reading->reduction->cpu_count);
	if (tally->rotates && reading->reader->ended)
		forget_rounds(reading);
	reading->baseline = &baselines[1];
	further = read_all(reading, tally->further, 1);
	if (tally->rotates && reading->reader->ended)
		forget_rounds(reading);
	return result ? result : further;
}

/* Begins a new round for the programs, and finds out which have ended for good. */
static void begin_round(struct reading *reading)
{
	struct kernel_reader *reader = reading->reader;

	reader->guard.is.round++;
	reader->guard.is.limit = reader->listed.low + reading->reduction->strings_max;
	kernel_guard_show(&reader->guard, reading->reduction);
	if (reader->guard.state == KERNEL_GUARD_IDLE) {
		reader->ending = reader->guard.is.round;
		kernel_listed_begin_wait(&reader->listed, reading->reduction);
	}
	if (!kernel_guard_wait(&reader->guard, reading->reduction))
		return;
	reader->ended = reader->ending;
	kernel_listed_end_wait(&reader->listed, reading->reduction);
}

/*
 * Called when a reading has ended. While readings take much of the time, programs add nothing to
 * their maps, but send the updates.
 */
static void limit_time(
	struct kernel_reader *reader, const struct kernel_reduction *reduction, uint64_t began)
{
	uint64_t now = clock_monotonic(), span = now - reader->span_began;
	uint64_t closed = reader->guard.is.closed;

	reader->span_read += now - began;
	if (span < SPAN_LEAST)
		return;
	if (reader->span_read > span / CLOSING_PART && reader->span_keys > CLOSING_KEYS)
		closed = 1;
	else if (reader->span_read < span / OPENING_PART)
		closed = 0;
	if (closed != reader->guard.is.closed) {
		reader->guard.is.closed = closed;
		kernel_guard_show(&reader->guard, reduction);
		debug_say(DEBUG_KERNEL, "programs %s",
			closed ? "add no keys to maps any more" : "may add keys to maps again");
	}
	reader->span_began = now;
	reader->span_read = reader->span_keys = 0;
}

int kernel_tally_read(struct kernel_reader *reader, const struct kernel_reduction *reduction,
	const struct kernel_site_names *names, const struct partial_sink *sink)
{
	struct reading reading = {
		.reader = reader, .reduction = reduction, .names = names, .sink = sink};
	uint64_t began = clock_monotonic();
	int result = 0;

	if (!reduction->tally_count || !reader->baselines)
		return 0;
	if (reduction->rotates)
		begin_round(&reading);
	/*
	 * Aggregations share the room of option aggsize. Those that can have many keys come last,
	 * so that they do not take the room of those that need little.
	 */
	for (unsigned keys = 0; keys <= D_KEYS_MAX; keys++)
		for (size_t i = 0; i < reduction->tally_count; i++) {
			int one = reduction->tallies[i].key_count == keys
				? read_tally(&reading, &reduction->tallies[i], i)
				: 0;

			result = one ? one : result;
		}
	if (!result)
		kernel_listed_give_back(&reader->listed, reduction);
	limit_time(reader, reduction, began);
	return result;
}

/* ---- updates that are sent ---- */

/* Unwinds the process and the frames, at most the given number; *end says how that has ended. */
static size_t unwind_sent(const struct kernel_sent *sent, const struct kernel_sent_layout *layout,
	const char *stack, struct usdt_unwind *unwind, size_t frames, uint64_t *words,
	enum usdt_unwind_end *end)
{
	const uint64_t *registers = (const void *)((const char *)sent + layout->registers);
	const struct usdt_unwind_thread thread = {.machine = EM_X86_64,
		.register_count = KERNEL_REGISTERS_BYTES / sizeof(uint64_t),
		.registers = registers,
		.stack_address =
			registers[KERNEL_RSP / sizeof(uint64_t)] & ~(uint64_t)(KERNEL_PAGE - 1),
		.stack_size = sent->copied,
		.stack = (const unsigned char *)stack};
	struct usdt_unwound unwound = {.end = USDT_UNWIND_NO_INFORMATION};

	words[0] = sent->head.pid;
	if (unwind && sent->copied)
		unwound = usdt_unwind(unwind, &thread, words + 1, frames);
	*end = unwound.end;
	return 1 + unwound.count;
}

/* Finds the keys that are stacks, by their numbers or by unwinding. Returns false if memory runs
 * out. */
static bool unwind_keys(struct reading *reading, const struct kernel_sent *sent,
	const struct kernel_sent_layout *layout, const unsigned char *key,
	struct usdt_unwind *unwind, struct arena *arena, struct text *texts)
{
	const struct kernel_tally *tally = reading->tally;

	for (unsigned i = 0; i < tally->key_count; i++) {
		size_t frames = tally->keys[i].which, count;
		enum usdt_unwind_end end;
		uint64_t *words, number;

		if (tally->keys[i].kind != KERNEL_KEY_STACK)
			continue;
		memcpy(&number, key + tally->keys[i].place, sizeof(number));
		if (number && find_stack(reading, number, &texts[i]))
			continue;
		words = arena_get(arena, (1 + frames) * sizeof(*words));
		if (!words)
			return false;
		count = unwind_sent(sent, layout, reading->strings, unwind, frames, words, &end);
		texts[i] = (struct text){
			.bytes = (const char *)words, .length = (uint32_t)(count * sizeof(*words))};
		if (unwind && sent->copied)
			kernel_stacks_learn(&reading->learning->stacks, unwind, words, count,
				count == 1 + frames                    ? KERNEL_STACK_AT_LIMIT
					: end == USDT_UNWIND_OUTERMOST ? KERNEL_STACK_OUTERMOST
								       : KERNEL_STACK_CUT);
	}
	return true;
}

/* Returns whether a record is complete, as far as its layout says. */
static bool is_whole(const struct kernel_record *record, const struct kernel_sent_layout *layout)
{
	const struct kernel_sent *sent = (const void *)record->bytes;

	return record->size >= layout->begin && sent->copied <= record->size - layout->begin;
}

bool kernel_tally_has_stack(const struct kernel_record *record)
{
	const struct kernel_sent *sent = (const void *)record->bytes;

	return record->size >= sizeof(*sent) && sent->copied;
}

const struct event_update *kernel_tally_update(struct kernel_reader *reader,
	struct kernel_reduction *reduction, const struct kernel_site_names *names,
	const struct kernel_record *record, struct usdt_unwind *unwind, struct arena *arena)
{
	const struct kernel_sent *sent = (const void *)record->bytes;
	struct reading reading = {
		.reader = reader, .reduction = reduction, .learning = reduction, .names = names};
	struct kernel_sent_layout layout;
	struct event_update *update;
	unsigned char *key;
	struct text *texts;
	uint64_t *keys;

	if (record->size < sizeof(*sent) || sent->tally >= reduction->tally_count)
		return NULL;
	reading.tally = &reduction->tallies[sent->tally];
	kernel_send_lay_out(reduction, reading.tally, &layout);
	if (!is_whole(record, &layout))
		return NULL;
	reading.strings = (const char *)record->bytes + layout.begin;
	reading.strings_end = (const char *)record->bytes + record->size - sent->copied;
	if (layout.length)
		memcpy(&reading.last_length, record->bytes + layout.length, sizeof(uint64_t));
	update = arena_get(arena, sizeof(*update));
	keys = arena_get(arena, (reading.tally->key_count + 1u) * sizeof(*keys));
	texts = arena_get(arena, (reading.tally->key_count + 1u) * sizeof(*texts));
	key = arena_get(arena, reading.tally->key_bytes + 1);
	if (!update || !keys || !texts || !key)
		return NULL;
	memcpy(key + layout.first, sent + 1, layout.end - layout.first);
	if (!decode_keys(&reading, key, keys, texts) ||
		!unwind_keys(&reading, sent, &layout, key, unwind, arena, texts))
		return NULL;
	*update = (struct event_update){.aggregation = reading.tally->aggregation,
		.keys = keys,
		.value = (int64_t)sent->value,
		.increment = (int64_t)sent->increment};
	return update;
}

bool kernel_tally_losses(struct kernel_reader *reader, const struct kernel_reduction *reduction,
	uint64_t *stores, uint64_t *updates)
{
	const uint32_t index = 0;
	bool is_new = false;

	if (reduction->losses < 0 || !reader->reported ||
		bpf_map_get(reduction->losses, &index, reader->lost))
		return false;
	*stores = reader->lost[0] - reader->reported[0];
	for (uint32_t i = 0; i <= reduction->cpu_count; i++) {
		uint64_t more = reader->lost[i] - reader->reported[i];

		is_new |= more != 0;
		if (i)
			updates[i - 1] = more;
		reader->reported[i] = reader->lost[i];
	}
	return is_new;
}
