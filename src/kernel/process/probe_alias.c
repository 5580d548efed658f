/* probe_alias.c: see probe_alias.h. A hash table with open addressing; nothing is removed. */
#include "kernel/process/probe_alias.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 64 };

/* The place of a site's probe in a process, or the free one where it would be. */
static struct kernel_alias *find(const struct kernel_aliases *aliases, uint32_t site, uint32_t pid)
{
	uint64_t hash = (((uint64_t)site << 32) | pid) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(hash >> 32) & (aliases->capacity - 1);

	while (aliases->places[i].pid &&
		(aliases->places[i].pid != pid || aliases->places[i].site != site))
		i = (i + 1) & (aliases->capacity - 1);
	return &aliases->places[i];
}

static int grow(struct kernel_aliases *aliases)
{
	struct kernel_aliases larger = {
		.capacity = aliases->capacity ? 2 * aliases->capacity : CAPACITY_MIN,
		.count = aliases->count};

	larger.places = calloc(larger.capacity, sizeof(*larger.places));
	if (!larger.places)
		return -ENOMEM;
	for (size_t i = 0; i < aliases->capacity; i++)
		if (aliases->places[i].pid)
			*find(&larger, aliases->places[i].site, aliases->places[i].pid) =
				aliases->places[i];
	free(aliases->places);
	*aliases = larger;
	return 0;
}

int kernel_alias_set(struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t probe)
{
	struct kernel_alias *place;

	if (2 * aliases->count >= aliases->capacity && grow(aliases))
		return -ENOMEM;
	place = find(aliases, site, pid);
	aliases->count += !place->pid;
	*place = (struct kernel_alias){.pid = pid, .site = site, .probe = probe};
	return 0;
}

bool kernel_alias_get(
	const struct kernel_aliases *aliases, uint32_t site, uint32_t pid, uint32_t *probe)
{
	const struct kernel_alias *place;

	if (!aliases->count)
		return false;
	place = find(aliases, site, pid);
	*probe = place->probe;
	return place->pid;
}

void kernel_alias_free(struct kernel_aliases *aliases)
{
	free(aliases->places);
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
