/*
 * bpf_in_memory.h: the functions of kernel/bpf/bpf.h over maps in the test's own memory, so that
 * what works with maps is tested without privilege and without a kernel that has BPF. Included
 * once by a test, whose program then has these functions instead of bpf.c's: all of them, or
 * bpf.c's would be linked, too. No program can be loaded or attached.
 *
 * A map is a descriptor of /dev/null, so that close() works as ever; bpf_memory_free() frees all.
 */
#ifndef VMTAP_TESTS_BPF_IN_MEMORY_H
#define VMTAP_TESTS_BPF_IN_MEMORY_H

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"

enum { BPF_MEMORY_MAPS = 64 };

struct bpf_memory_map {
	char name[BPF_OBJ_NAME_LEN];
	int descriptor;
	uint32_t type, key_bytes, value_bytes; /* value_bytes: of all processors */
	uint32_t entries, count;
	unsigned char *elements; /* key, then value */
};

enum { BPF_MEMORY_DESCRIPTORS = 1024 };

static struct {
	struct bpf_memory_map maps[BPF_MEMORY_MAPS];
	size_t count;
	size_t found[BPF_MEMORY_DESCRIPTORS]; /* by what bpf_map_find() gave: its map's number + 1
					       */
	uint32_t processors;
} bpf_memory = {.processors = 1};

static struct bpf_memory_map *bpf_memory_of(int descriptor)
{
	for (size_t i = 0; i < bpf_memory.count; i++)
		if (bpf_memory.maps[i].descriptor == descriptor)
			return &bpf_memory.maps[i];
	ck_assert_msg(descriptor >= 0 && descriptor < BPF_MEMORY_DESCRIPTORS &&
			bpf_memory.found[descriptor],
		"descriptor %d is no map", descriptor);
	return &bpf_memory.maps[bpf_memory.found[descriptor] - 1];
}

static bool bpf_memory_is_array(const struct bpf_memory_map *map)
{
	return map->type == BPF_MAP_TYPE_ARRAY || map->type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

static unsigned char *bpf_memory_element(const struct bpf_memory_map *map, uint32_t index)
{
	return map->elements + (size_t)index * (map->key_bytes + map->value_bytes);
}

static unsigned char *bpf_memory_find(const struct bpf_memory_map *map, const void *key)
{
	for (uint32_t i = 0; i < map->count; i++)
		if (!memcmp(bpf_memory_element(map, i), key, map->key_bytes))
			return bpf_memory_element(map, i);
	return NULL;
}

static inline void bpf_memory_free(void)
{
	for (size_t i = 0; i < bpf_memory.count; i++) {
		close(bpf_memory.maps[i].descriptor);
		free(bpf_memory.maps[i].elements);
	}
	bpf_memory.count = 0;
	bpf_memory.processors = 1;
}

/* How many elements a map has. */
static inline uint32_t bpf_memory_count(int map)
{
	return bpf_memory_of(map)->count;
}

int bpf_map_named(const char *name, uint32_t type, uint32_t key_bytes, uint32_t value_bytes,
	uint32_t entries, uint32_t flags)
{
	struct bpf_memory_map *map = &bpf_memory.maps[bpf_memory.count];
	bool is_each = type == BPF_MAP_TYPE_PERCPU_ARRAY || type == BPF_MAP_TYPE_PERCPU_HASH;

	(void)flags;
	ck_assert_uint_lt(bpf_memory.count, BPF_MEMORY_MAPS);
	*map = (struct bpf_memory_map){.descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC),
		.type = type,
		.key_bytes = key_bytes,
		.value_bytes = value_bytes * (is_each ? bpf_memory.processors : 1),
		.entries = entries};
	ck_assert_int_ge(map->descriptor, 0);
	memcpy(map->name, name, strnlen(name, sizeof(map->name) - 1));
	map->elements = calloc(entries, (size_t)map->key_bytes + map->value_bytes);
	ck_assert_ptr_nonnull(map->elements);
	for (uint32_t i = 0; bpf_memory_is_array(map) && i < entries; i++, map->count++)
		memcpy(bpf_memory_element(map, i), &i, sizeof(i));
	bpf_memory.count++;
	return map->descriptor;
}

int bpf_map(
	uint32_t type, uint32_t key_bytes, uint32_t value_bytes, uint32_t entries, uint32_t flags)
{
	return bpf_map_named("vmtap", type, key_bytes, value_bytes, entries, flags);
}

int bpf_map_find(const char *name, uint32_t *id)
{
	while (*id < bpf_memory.count) {
		const struct bpf_memory_map *map = &bpf_memory.maps[(*id)++];
		int descriptor;

		if (strcmp(map->name, name) != 0)
			continue;
		descriptor = dup(map->descriptor);
		ck_assert(descriptor >= 0 && descriptor < BPF_MEMORY_DESCRIPTORS);
		bpf_memory.found[descriptor] = *id;
		return descriptor;
	}
	return -ENOENT;
}

int bpf_task_map(uint32_t value_bytes)
{
	return bpf_map(BPF_MAP_TYPE_HASH, 4, value_bytes, 1, 0);
}

int bpf_map_set(int descriptor, const void *key, const void *value)
{
	struct bpf_memory_map *map = bpf_memory_of(descriptor);
	unsigned char *element = bpf_memory_find(map, key);

	if (!element && (bpf_memory_is_array(map) || map->count == map->entries))
		return -E2BIG;
	if (!element) {
		element = bpf_memory_element(map, map->count++);
		memcpy(element, key, map->key_bytes);
	}
	memcpy(element + map->key_bytes, value, map->value_bytes);
	return 0;
}

int bpf_map_get(int descriptor, const void *key, void *value)
{
	struct bpf_memory_map *map = bpf_memory_of(descriptor);
	const unsigned char *element = bpf_memory_find(map, key);

	if (!element)
		return -ENOENT;
	memcpy(value, element + map->key_bytes, map->value_bytes);
	return 0;
}

int bpf_map_delete(int descriptor, const void *key)
{
	struct bpf_memory_map *map = bpf_memory_of(descriptor);
	unsigned char *element = bpf_memory_find(map, key);

	if (!element)
		return -ENOENT;
	map->count--;
	memmove(element, bpf_memory_element(map, map->count),
		(size_t)map->key_bytes + map->value_bytes);
	return 0;
}

int bpf_map_next(int descriptor, const void *key, void *next)
{
	struct bpf_memory_map *map = bpf_memory_of(descriptor);
	uint32_t index = 0;

	while (key && index < map->count &&
		memcmp(bpf_memory_element(map, index), key, map->key_bytes) != 0)
		index++;
	index += key != NULL;
	if (index >= map->count)
		return -ENOENT;
	memcpy(next, bpf_memory_element(map, index), map->key_bytes);
	return 0;
}

int bpf_map_read(
	int descriptor, bool is_first, uint32_t *at, void *keys, void *values, uint32_t *count)
{
	struct bpf_memory_map *map = bpf_memory_of(descriptor);
	uint32_t begin = is_first ? 0 : *at, room = *count;

	for (*count = 0; *count < room && begin + *count < map->count; (*count)++) {
		const unsigned char *element = bpf_memory_element(map, begin + *count);

		memcpy((unsigned char *)keys + (size_t)*count * map->key_bytes, element,
			map->key_bytes);
		memcpy((unsigned char *)values + (size_t)*count * map->value_bytes,
			element + map->key_bytes, map->value_bytes);
	}
	*at = begin + *count;
	return *at == map->count ? -ENOENT : 0;
}

uint32_t bpf_cpu_count(void)
{
	return bpf_memory.processors;
}

int bpf_load(const struct bpf_insn *code, size_t count, unsigned flags, struct error *error)
{
	(void)code;
	(void)count;
	(void)flags;
	(void)error;
	return -EPERM;
}

int bpf_load_function(const struct bpf_insn *code, size_t count,
	const struct bpf_function *function, struct error *error)
{
	(void)function;
	return bpf_load(code, count, 0, error);
}

int bpf_try_load(const struct bpf_insn *code, size_t count, unsigned flags,
	const struct bpf_function *function)
{
	(void)function;
	return bpf_load(code, count, flags, NULL);
}

int bpf_module_types(const char *module)
{
	(void)module;
	return -ENOENT;
}

int bpf_run(int program, uint32_t *returned)
{
	(void)program;
	*returned = 0;
	return -EPERM;
}

uint64_t bpf_missed(int program)
{
	(void)program;
	return 0;
}

int bpf_attach_sites(int program, const struct bpf_sites *sites)
{
	(void)program;
	(void)sites;
	return -EPERM;
}

int bpf_attach_site(int program, const struct bpf_sites *sites, uint32_t index)
{
	(void)index;
	return bpf_attach_sites(program, sites);
}

int bpf_attach_clock(int program, int processor, uint64_t period, uint64_t cookie)
{
	(void)program;
	(void)processor;
	(void)period;
	(void)cookie;
	return -EPERM;
}

int bpf_attach_raw(int program, const char *tracepoint)
{
	(void)program;
	(void)tracepoint;
	return -EPERM;
}

void bpf_close_all(const int *descriptors, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(descriptors[i]);
}

#endif
