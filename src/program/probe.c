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
	uint32_t hash;
	uint32_t size;
	char bytes[];
};

/* The slot of these bytes, or the free one where they belong. */
static struct d_probe_kept **find_kept(
	const struct d_probe_keep *keep, const void *bytes, uint32_t size, uint32_t hash)
{
	size_t at = hash;

	for (;; at++) {
		struct d_probe_kept **slot = &keep->slots[at & (keep->slot_count - 1)];

		if (!*slot ||
			((*slot)->hash == hash && (*slot)->size == size &&
				!memcmp((*slot)->bytes, bytes, size)))
			return slot;
	}
}

static int grow_slots(struct d_probe_keep *keep)
{
	struct d_probe_keep grown = *keep;

	grown.slot_count = keep->slot_count ? keep->slot_count * 2 : 64;
	grown.slots = calloc(grown.slot_count, sizeof(grown.slots[0]));
	if (!grown.slots)
		return -ENOMEM;
	for (size_t i = 0; i < keep->slot_count; i++) {
		struct d_probe_kept *kept = keep->slots[i];

		if (kept)
			*find_kept(&grown, kept->bytes, kept->size, kept->hash) = kept;
	}
	free(keep->slots);
	*keep = grown;
	return 0;
}

/* The set's copy of the bytes. NULL: no memory. */
static void *keep_bytes(struct d_probe_set *set, const void *bytes, size_t size)
{
	struct d_probe_keep *keep = &set->keep;
	uint32_t hash = text_hash(bytes, (uint32_t)size);
	struct d_probe_kept **slot;

	if (2 * keep->count >= keep->slot_count && grow_slots(keep))
		return NULL;
	slot = find_kept(keep, bytes, (uint32_t)size, hash);
	if (!*slot) {
		struct d_probe_kept *kept = arena_get(&keep->arena, sizeof(*kept) + size);

		if (!kept)
			return NULL;
		kept->hash = hash;
		kept->size = (uint32_t)size;
		memcpy(kept->bytes, bytes, size);
		*slot = kept;
		keep->count++;
	}
	return (*slot)->bytes;
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
	free(set->keep.slots);
	free(set->buckets);
	memset(set, 0, sizeof(*set));
}

static struct d_probe_bucket *bucket_of(const struct d_probe_set *set, const char *name)
{
	return &set->buckets[text_hash(name, (uint32_t)strlen(name)) & (set->bucket_count - 1)];
}

/* Puts a probe at the end of its bucket, so that the indices there ascend. */
static void enter(struct d_probe_set *set, size_t index)
{
	struct d_probe_bucket *bucket = bucket_of(set, set->probes[index].name);

	set->probes[index].next = 0;
	if (bucket->last)
		set->probes[bucket->last - 1].next = (uint32_t)index + 1;
	else
		bucket->first = (uint32_t)index + 1;
	bucket->last = (uint32_t)index + 1;
}

static int grow_buckets(struct d_probe_set *set)
{
	size_t count = set->bucket_count ? set->bucket_count * 2 : 64;
	struct d_probe_bucket *buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return -ENOMEM;
	free(set->buckets);
	set->buckets = buckets;
	set->bucket_count = count;
	for (size_t i = 0; i < set->count; i++)
		enter(set, i);
	return 0;
}

long d_probe_set_find(const struct d_probe_set *set, const char *name, long after)
{
	uint32_t next = after >= 0  ? set->probes[after].next
		: set->bucket_count ? bucket_of(set, name)->first
				    : 0;

	while (next && strcmp(set->probes[next - 1].name, name) != 0)
		next = set->probes[next - 1].next;
	return (long)next - 1;
}

long d_probe_set_add(struct d_probe_set *set, const struct d_probe *probe)
{
	struct d_probe added = *probe;

	if (probe->argument_count > D_PROBE_ARGUMENTS_MAX)
		return -EINVAL;
	if (array_room(&set->probes, &set->capacity, set->count, sizeof(set->probes[0])) ||
		(set->count >= set->bucket_count && grow_buckets(set)))
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
	enter(set, set->count);
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
	memset(set->buckets, 0, set->bucket_count * sizeof(*set->buckets));
	for (size_t i = 0; i < set->count; i++)
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
