/*
 * probe.c: the set of probes. The index of a probe never changes. A hash table
 * over the names finds the probes of a description whose name has no wildcards.
 */
#include "program/probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pattern.h"
#include "base/text.h"

struct d_probe_kept {
	uint32_t size;
	_Alignas(struct d_probe_argument) char bytes[];
};

/* Some bytes that are looked for. */
struct d_probe_bytes {
	const void *bytes;
	uint32_t size;
};

static bool is_kept(const void *kept, uint32_t index, const void *key)
{
	const struct d_probe_kept *there = ((struct d_probe_kept *const *)kept)[index];
	const struct d_probe_bytes *wanted = key;

	return there->size == wanted->size && !memcmp(there->bytes, wanted->bytes, wanted->size);
}

/* The set's copy of the bytes. NULL: no memory. */
static void *keep_bytes(struct d_probe_set *set, const void *bytes, size_t size)
{
	struct d_probe_keep *keep = &set->keep;
	uint32_t hash = text_hash(bytes, (uint32_t)size);
	struct d_probe_bytes wanted = {bytes, (uint32_t)size};
	uint32_t index = hash_table_find(&keep->table, hash, is_kept, keep->kept, &wanted);
	struct d_probe_kept *kept;

	if (index != HASH_TABLE_NONE)
		return keep->kept[index]->bytes;
	if (array_room(&keep->kept, &keep->capacity, keep->table.count, sizeof(keep->kept[0])) ||
		hash_table_room(&keep->table))
		return NULL;
	kept = arena_get(&keep->arena, sizeof(*kept) + size);
	if (!kept)
		return NULL;
	kept->size = (uint32_t)size;
	memcpy(kept->bytes, bytes, size);
	index = keep->table.count;
	keep->kept[index] = kept;
	hash_table_add(&keep->table, hash, index);
	return kept->bytes;
}

static char *keep_text(struct d_probe_set *set, const char *text)
{
	return keep_bytes(set, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* A list of names, each with its NUL, which an empty one ends. */
static char *keep_names(struct d_probe_set *set, const char *names)
{
	size_t size = 1;

	for (const char *name = names; *name; name += strlen(name) + 1)
		size += strlen(name) + 1;
	return keep_bytes(set, names, size);
}

static struct d_probe_argument *keep_arguments(
	struct d_probe_set *set, const struct d_probe_argument *arguments, unsigned count)
{
	struct d_probe_argument kept[D_PROBE_ARGUMENTS_MAX];

	for (unsigned i = 0; i < count; i++) {
		kept[i].type = keep_text(set, arguments[i].type);
		kept[i].name = keep_text(set, arguments[i].name);
		if (!kept[i].type || !kept[i].name)
			return NULL;
	}
	return keep_bytes(set, kept, count * sizeof(kept[0]));
}

int d_probe_set_init(struct d_probe_set *set)
{
	static const struct {
		char name[8];
		enum d_probe_kind kind;
	} own[] = {{"BEGIN", D_PROBE_BEGIN}, {"END", D_PROBE_END}, {"ERROR", D_PROBE_ERROR}};
	char provider[] = "dtrace", empty[] = "", name[8];
	long index = 0;

	memset(set, 0, sizeof(*set));
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]) && index >= 0; i++) {
		struct d_probe probe = {.provider = provider,
			.module = empty,
			.function = empty,
			.name = name,
			.kind = own[i].kind};

		memcpy(name, own[i].name, sizeof(name));
		index = d_probe_set_add(set, &probe);
	}
	if (index < 0)
		d_probe_set_free(set);
	return index < 0 ? (int)index : 0;
}

void d_probe_set_free(struct d_probe_set *set)
{
	free(set->probes);
	arena_free(&set->keep.arena);
	free(set->keep.kept);
	hash_table_free(&set->keep.table);
	free(set->named);
	hash_table_free(&set->by_name);
	memset(set, 0, sizeof(*set));
}

static bool is_named(const void *context, uint32_t index, const void *name)
{
	const struct d_probe_set *set = context;

	return !strcmp(set->probes[set->named[index].first].name, name);
}

/* Returns the index in set->named of the probes with this name, or HASH_TABLE_NONE. */
static uint32_t find_named(const struct d_probe_set *set, const char *name)
{
	return hash_table_find(
		&set->by_name, text_hash(name, (uint32_t)strlen(name)), is_named, set, name);
}

/* Puts a probe at the end of those with its name, so that the indices there ascend. There must be
 * room for another name. */
static void enter(struct d_probe_set *set, uint32_t index)
{
	const char *name = set->probes[index].name;
	uint32_t named = find_named(set, name);

	set->probes[index].next = 0;
	if (named == HASH_TABLE_NONE) {
		named = set->by_name.count;
		set->named[named].first = index;
		hash_table_add(&set->by_name, text_hash(name, (uint32_t)strlen(name)), named);
	} else {
		set->probes[set->named[named].last].next = index + 1;
	}
	set->named[named].last = index;
}

long d_probe_set_find(const struct d_probe_set *set, const char *name, long after)
{
	uint32_t named;

	if (after >= 0)
		return (long)set->probes[after].next - 1;
	named = find_named(set, name);
	return named == HASH_TABLE_NONE ? -1 : (long)set->named[named].first;
}

long d_probe_set_add(struct d_probe_set *set, const struct d_probe *probe)
{
	struct d_probe added = *probe;

	if (probe->argument_count > D_PROBE_ARGUMENTS_MAX)
		return -EINVAL;
	if (array_room(&set->probes, &set->capacity, set->count, sizeof(set->probes[0])) ||
		array_room(&set->named, &set->named_capacity, set->by_name.count,
			sizeof(set->named[0])) ||
		hash_table_room(&set->by_name))
		return -ENOMEM;
	added.provider = keep_text(set, probe->provider);
	added.module = keep_text(set, probe->module);
	added.function = keep_text(set, probe->function);
	added.name = keep_text(set, probe->name);
	added.note = probe->note ? keep_text(set, probe->note) : NULL;
	added.aliases = probe->aliases ? keep_names(set, probe->aliases) : NULL;
	added.arguments = probe->argument_count
		? keep_arguments(set, probe->arguments, probe->argument_count)
		: NULL;
	if (!added.provider || !added.module || !added.function || !added.name ||
		(probe->note && !added.note) || (probe->aliases && !added.aliases) ||
		(probe->argument_count && !added.arguments))
		return -ENOMEM;
	set->probes[set->count] = added;
	enter(set, (uint32_t)set->count);
	return (long)set->count++;
}

void d_probe_set_stability(struct d_probe *probe, const struct stability stability[STABILITY_PARTS])
{
	memcpy(probe->stability, stability, sizeof(probe->stability));
	probe->has_stability = true;
}

void d_probe_set_cut(struct d_probe_set *set, size_t count)
{
	if (count >= set->count)
		return;
	set->count = count;
	hash_table_clear(&set->by_name);
	for (uint32_t i = 0; i < set->count; i++)
		enter(set, i);
}

int d_probe_set_note(struct d_probe_set *set, uint32_t probe, const char *note)
{
	char *kept = keep_text(set, note);

	if (!kept)
		return -ENOMEM;
	set->probes[probe].note = kept;
	return 0;
}

bool d_probe_matches_module(const struct d_probe *probe, const char *module)
{
	const char *slash = probe->is_place ? strrchr(module, '/') : NULL;

	if (slash) /* a path */
		module = slash + 1;
	return pattern_match(module, probe->module) ||
		(probe->is_place && pattern_match_module(module, probe->module)) ||
		(probe->is_program && pattern_match(module, "a.out"));
}

bool d_probe_matches_function(const struct d_probe *probe, const char *function)
{
	bool matches = pattern_match(function, probe->function);

	for (const char *alias = probe->aliases; alias && *alias && !matches;
		alias += strlen(alias) + 1)
		matches = pattern_match(function, alias);
	return matches;
}

bool d_probe_is_known(const struct d_probe *probe)
{
	return !probe->is_absent || probe->is_expected || probe->is_siteless;
}

bool d_probe_same_arguments(const struct d_probe *one, const struct d_probe *other)
{
	bool same = one->argument_count == other->argument_count;

	for (unsigned i = 0; same && i < one->argument_count; i++)
		same = !strcmp(one->arguments[i].type, other->arguments[i].type);
	return same;
}

/* The index of the string argument of that name, or of any name (NULL); -1: none. */
static int find_string(const struct d_probe *probe, const char *name)
{
	for (unsigned i = 0; i < probe->argument_count; i++) {
		const struct d_probe_argument *argument = &probe->arguments[i];

		if (!strcmp(argument->type, "char *") &&
			(!name || (argument->name && !strcmp(argument->name, name))))
			return (int)i;
	}
	return -1;
}

static bool ends_in(const char *name, const char *end)
{
	size_t length = strlen(name), wanted = strlen(end);

	return length >= wanted && !strcmp(name + length - wanted, end);
}

unsigned d_probe_named_by(const struct d_probe *probe, unsigned arguments[2])
{
	int first, second;

	if (probe->kind != D_PROBE_SOURCE || (probe->function && *probe->function) ||
		(!ends_in(probe->name, "-entry") && !ends_in(probe->name, "-return")))
		return 0;
	first = find_string(probe, "class");
	second = find_string(probe, "method");
	if (first < 0 || second < 0) {
		first = find_string(probe, NULL);
		second = -1;
	}
	if (first < 0)
		return 0;
	arguments[0] = (unsigned)first;
	arguments[1] = second < 0 ? 0 : (unsigned)second;
	return second < 0 ? 1 : 2;
}

struct d_asked *d_asked_copy(const struct d_asked *asked, size_t count)
{
	size_t bytes = (count + 1) * sizeof(*asked);
	struct d_asked *copy;
	char *text;

	for (size_t i = 0; i < count; i++)
		bytes += strlen(asked[i].provider) + strlen(asked[i].module) +
			strlen(asked[i].function) + strlen(asked[i].name) + 4;
	copy = calloc(1, bytes);
	if (!copy)
		return NULL;
	text = (char *)(copy + count + 1);
	for (size_t i = 0; i < count; i++) {
		const char *parts[] = {
			asked[i].provider, asked[i].module, asked[i].function, asked[i].name};

		for (size_t j = 0; j < 4; j++) {
			size_t length = strlen(parts[j]) + 1;
			memcpy(text, parts[j], length);
			parts[j] = text;
			text += length;
		}
		copy[i] = (struct d_asked){
			parts[0], parts[1], parts[2], parts[3], asked[i].is_optional};
	}
	return copy;
}
