/* probe_alias.c: see probe_alias.h. Nothing is removed before all is. */
#include "kernel/process/probe_alias.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static uint32_t hash_of(uint32_t site, uint32_t pid)
{
	return hash_table_number((uint64_t)site << 32 | pid);
}

static bool is_place(const void *items, uint32_t index, const void *key)
{
	const struct kernel_alias *item = (const struct kernel_alias *)items + index;
	const struct kernel_alias *place = key;

	return item->pid == place->pid && item->site == place->site;
}

static struct kernel_alias *find_alias(
	const struct kernel_aliases *aliases, uint32_t site, uint32_t pid)
{
	const struct kernel_alias place = {.pid = pid, .site = site};
	uint32_t index = hash_table_find(
		&aliases->by_place, hash_of(site, pid), is_place, aliases->items, &place);

	return index == HASH_TABLE_NONE ? NULL : &aliases->items[index];
}

int kernel_alias_set(struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t probe)
{
	struct kernel_alias *alias = find_alias(aliases, site, pid);

	if (alias) {
		alias->probe = probe;
		return 0;
	}
	if (array_room(
		    &aliases->items, &aliases->capacity, aliases->count, sizeof(*aliases->items)) ||
		hash_table_add(&aliases->by_place, hash_of(site, pid), (uint32_t)aliases->count))
		return -ENOMEM;
	aliases->items[aliases->count++] =
		(struct kernel_alias){.pid = pid, .site = site, .probe = probe};
	return 0;
}

bool kernel_alias_get(
	const struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t *probe)
{
	const struct kernel_alias *alias = find_alias(aliases, site, pid);

	if (alias)
		*probe = alias->probe;
	return alias != NULL;
}

void kernel_alias_free(struct kernel_aliases *aliases)
{
	hash_table_free(&aliases->by_place);
	free(aliases->items);
	*aliases = (struct kernel_aliases){0};
}

long kernel_alias_add(
	struct d_probe_set *set, const struct d_probe *of, uint32_t of_pid, uint32_t pid)
{
	struct d_probe added = *of;
	size_t length = strlen(of->provider), digits;
	char provider[300], number[16];

	/* the provider's own name may end in digits, too */
	digits = (size_t)snprintf(number, sizeof(number), "%" PRIu32, of_pid);
	if (digits <= length && !strcmp(of->provider + length - digits, number))
		length -= digits;
	snprintf(provider, sizeof(provider), "%.*s%" PRIu32, (int)length, of->provider, pid);
	added.provider = provider;
	return d_probe_set_add(set, &added);
}
