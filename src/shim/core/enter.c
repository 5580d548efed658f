/*
 * enter.c: registers an object's probes with the process's runtime, if it has one, for all
 * providers: vm's and those that VM authors have generated.
 *
 * The runtime's functions are weak references: a VM that never starts the stream links none
 * of the runtime.
 */
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "shim/core/object.h"

#pragma weak vmtap_object_add
#pragma weak vmtap_object_remove

struct search {
	const struct vmtap_object *object;
	const char *file; /* the object's; NULL: search for it */
	int change;
};

/* Reports the object to the runtime that the note belongs to. */
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
	uintptr_t own = (uintptr_t)search->object - info->dlpi_addr;
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
	return finds && search->file; /* not 0: ends the iteration */
}

/* Reports an object that cannot reach vmtap_object_add() to the process's runtime, if there is one.
 * The first pass finds the object's file, the second the runtime's note. */
static void tell_unreachable(const struct vmtap_object *object, int change)
{
	struct search search = {.object = object, .change = change};

	if (dl_iterate_phdr(search_object, &search))
		dl_iterate_phdr(search_object, &search);
}

void vmtap_part_enter(struct vmtap_object *object)
{
	if (vmtap_object_add)
		vmtap_object_add(object);
	else
		tell_unreachable(object, 1);
}

void vmtap_part_leave(struct vmtap_object *object)
{
	if (vmtap_object_remove)
		vmtap_object_remove(object);
	else
		tell_unreachable(object, -1);
}
