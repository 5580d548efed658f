/*
 * part.c: the probe part's own state: one object, registered with the runtime if the process
 * has one, and the functions that VMs not written in C use instead of the macros.
 *
 * The runtime's functions are weak references: a VM that never starts the stream links none
 * of the runtime.
 */
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "shim/object.h"

#pragma weak vmtap_object_add
#pragma weak vmtap_object_remove

/* Defined here and not in the generated tables: the fire functions refer to it, so that a link
 * with the archive includes this file, whose constructor nobody calls by name. */
struct vmtap_object vmtap_object = {.size = sizeof(vmtap_object),
	.version = VMTAP_OBJECT_VERSION,
	.event_count = VMTAP_PROBES,
	.definitions = vmtap_definitions,
	.words = vmtap_words,
	.numbers = vmtap_numbers};

struct search {
	const char *file; /* of this object; NULL: look for it */
	int change;
};

/* Tells the runtime whose note this is. */
static void tell_beacon(const char *distance_at, const struct search *search)
{
	int64_t distance;

	memcpy(&distance, distance_at, sizeof(distance));
	const struct vmtap_beacon *beacon =
		(const void *)(uintptr_t)((uint64_t)(uintptr_t)distance_at + (uint64_t)distance);
	if (beacon->version == VMTAP_OBJECT_VERSION)
		beacon->unreachable(search->file, search->change);
}

static void search_notes(const char *at, const char *end, const struct search *search)
{
	uint32_t header[3]; /* sizes of name and description; type */

	while ((size_t)(end - at) >= sizeof(header)) {
		memcpy(header, at, sizeof(header));
		size_t name = (header[0] + 3u) & ~(size_t)3, rest = (header[1] + 3u) & ~(size_t)3;
		at += sizeof(header);
		if (name > (size_t)(end - at) || rest > (size_t)(end - at) - name)
			return;
		if (header[0] == sizeof("vmtap") && header[2] == BEACON_NOTE &&
			header[1] == sizeof(int64_t) && !memcmp(at, "vmtap", sizeof("vmtap")))
			tell_beacon(at + name, search);
		at += name + rest;
	}
}

static int search_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	uintptr_t own = (uintptr_t)&vmtap_object - info->dlpi_addr;
	bool finds = !search->file;

	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		const char *at = (const char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr);
		if (finds && segment->p_type == PT_LOAD &&
			own - segment->p_vaddr < segment->p_memsz)
			search->file = info->dlpi_name;
		else if (!finds && segment->p_type == PT_NOTE)
			search_notes(at, at + segment->p_memsz, search);
	}
	return finds && search->file; /* not 0: do not go on */
}

/* For an object that no runtime can be told of by vmtap_object_add(): the process may have one
 * all the same. */
static void tell_unreachable(int change)
{
	struct search search = {.change = change};

	if (dl_iterate_phdr(search_object, &search))
		dl_iterate_phdr(search_object, &search);
}

__attribute__((constructor)) static void part_enter(void)
{
	vmtap_object.providers = vmtap_providers();
	if (vmtap_object_add)
		vmtap_object_add(&vmtap_object);
	else
		tell_unreachable(1);
}

__attribute__((destructor)) static void part_leave(void)
{
	if (vmtap_object_remove)
		vmtap_object_remove(&vmtap_object);
	else
		tell_unreachable(-1);
}

const uint32_t *vmtap_guard(enum vmtap_probe probe)
{
	return (unsigned)probe < VMTAP_PROBES ? (const uint32_t *)(const void *)vmtap_words[probe]
					      : NULL;
}

vmtap_fire_function vmtap_fire(enum vmtap_probe probe)
{
	return (unsigned)probe < VMTAP_PROBES ? vmtap_fires[probe] : NULL;
}

int vmtap_poll(struct vmtap_guards *state, struct vmtap_guards *changed)
{
	int count = 0;

	for (unsigned i = 0; i < VMTAP_POLL_WORDS; i++) {
		uint64_t open = 0;
		for (unsigned j = 0; j < 64 && i * 64 + j < VMTAP_PROBES; j++) {
			const void *word = vmtap_words[i * 64 + j];
			uint32_t both = __atomic_load_n((const uint32_t *)word, __ATOMIC_RELAXED);
			open |= (uint64_t)(both != 0) << j;
		}
		uint64_t difference = open ^ state->open[i];
		count += __builtin_popcountll(difference);
		if (changed)
			changed->open[i] = difference;
		state->open[i] = open;
	}
	return count;
}
