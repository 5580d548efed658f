/*
 * address.c: see address.h. Nothing here trusts the files: if a symbol table cannot be read,
 * its file has no functions.
 */
#include "usdt/address.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "usdt/function.h"
#include "usdt/process_images.h"

enum {
	FILES_MAX = 256 /* files kept open; the functions of further files stay unknown */
};

struct segment {
	uint64_t address, offset, size; /* of the file's part */
};

struct object {
	uint64_t inode;
	unsigned int device_major, device_minor;
	char *module;
	int file;       /* -1: already read, or could not be opened */
	uint64_t begin; /* address of its lowest mapping */
	size_t segment_count;
	struct segment *segments;
	struct usdt_functions functions;
};

struct mapping {
	uint64_t begin, end, offset;
	size_t object;
};

struct usdt_addresses {
	pid_t pid;
	size_t object_count, mapping_count, file_count;
	struct object *objects;
	struct mapping *mappings; /* sorted by address */
	uint64_t misses;          /* lookups of addresses in no mapping */
};

static int compare_mappings(const void *a, const void *b)
{
	const struct mapping *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool has_code(const struct usdt_object *object)
{
	for (size_t i = 0; i < object->mapping_count; i++)
		if (object->mappings[i].is_executable)
			return true;
	return false;
}

/* The object of a mapped file, created if it is new; NULL if memory runs out. */
static struct object *keep_object(struct usdt_addresses *addresses,
	const struct usdt_process *process, const struct usdt_object *mapped)
{
	const char *slash = strrchr(mapped->path, '/');
	struct object *object, *grown;

	for (size_t i = 0; i < addresses->object_count; i++) {
		object = &addresses->objects[i];
		if (object->inode == mapped->inode &&
			object->device_major == mapped->device_major &&
			object->device_minor == mapped->device_minor)
			return object;
	}
	grown = realloc(addresses->objects, (addresses->object_count + 1) * sizeof(*grown));
	if (!grown)
		return NULL;
	addresses->objects = grown;
	object = &grown[addresses->object_count];
	memset(object, 0, sizeof(*object));
	object->module = strdup(slash ? slash + 1 : mapped->path);
	if (!object->module)
		return NULL;
	object->inode = mapped->inode;
	object->device_major = mapped->device_major;
	object->device_minor = mapped->device_minor;
	object->file = -1;
	if (addresses->file_count < FILES_MAX)
		object->file = usdt_object_file(process, mapped);
	if (object->file >= 0)
		addresses->file_count++;
	addresses->object_count++;
	return object;
}

/* Reads the present mappings; on failure the old ones stay. */
static void look(struct usdt_addresses *addresses)
{
	struct usdt_process *process;
	struct mapping *mappings;
	struct error error;
	size_t count = 0;

	if (usdt_process_map(addresses->pid, &process, &error))
		return;
	for (size_t i = 0; i < process->object_count; i++)
		count += process->objects[i].mapping_count;
	mappings = calloc(count + 1, sizeof(*mappings));
	if (!mappings)
		goto out;
	count = 0;
	for (size_t i = 0; i < process->object_count; i++) {
		const struct usdt_object *mapped = &process->objects[i];
		struct object *object;
		if (!has_code(mapped))
			continue;
		object = keep_object(addresses, process, mapped);
		if (!object)
			break;
		object->begin = mapped->mappings[0].begin;
		for (size_t j = 0; j < mapped->mapping_count; j++)
			mappings[count++] = (struct mapping){mapped->mappings[j].begin,
				mapped->mappings[j].end, mapped->mappings[j].offset,
				(size_t)(object - addresses->objects)};
	}
	qsort(mappings, count, sizeof(*mappings), compare_mappings);
	free(addresses->mappings);
	addresses->mappings = mappings;
	addresses->mapping_count = count;
out:
	usdt_process_free(process);
}

int usdt_addresses_new(pid_t pid, struct usdt_addresses **addresses)
{
	*addresses = calloc(1, sizeof(**addresses));
	if (!*addresses)
		return -ENOMEM;
	(*addresses)->pid = pid;
	look(*addresses);
	return 0;
}

void usdt_addresses_free(struct usdt_addresses *addresses)
{
	if (!addresses)
		return;
	for (size_t i = 0; i < addresses->object_count; i++) {
		struct object *object = &addresses->objects[i];
		if (object->file >= 0)
			close(object->file);
		usdt_functions_free(&object->functions);
		free(object->segments);
		free(object->module);
	}
	free(addresses->objects);
	free(addresses->mappings);
	free(addresses);
}

static const struct mapping *find_mapping(const struct usdt_addresses *addresses, uint64_t address)
{
	size_t low = 0, high = addresses->mapping_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (addresses->mappings[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < addresses->mapping_count && addresses->mappings[low].begin <= address
		? &addresses->mappings[low]
		: NULL;
}

/* Like find_mapping(), but reads the mappings again at the first miss, the second, the fourth,
 * ... */
static const struct mapping *see_mapping(struct usdt_addresses *addresses, uint64_t address)
{
	const struct mapping *mapping = find_mapping(addresses, address);

	if (mapping)
		return mapping;
	addresses->misses++;
	if (addresses->misses & (addresses->misses - 1))
		return NULL;
	look(addresses);
	return find_mapping(addresses, address);
}

static void read_segments(Elf *elf, struct object *object)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) || !count)
		return;
	object->segments = calloc(count, sizeof(*object->segments));
	for (size_t i = 0; object->segments && i < count; i++) {
		GElf_Phdr header;
		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			object->segments[object->segment_count++] =
				(struct segment){header.p_vaddr, header.p_offset, header.p_filesz};
	}
}

static void read_object(struct usdt_addresses *addresses, struct object *object)
{
	Elf *elf;

	if (object->file < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(object->file, ELF_C_READ, NULL);
	if (elf) {
		read_segments(elf, object);
		usdt_functions_read(elf, &object->functions);
		elf_end(elf);
	}
	close(object->file);
	object->file = -1;
	addresses->file_count--;
}

void usdt_addresses_note(struct usdt_addresses *addresses, uint64_t address)
{
	see_mapping(addresses, address);
}

bool usdt_addresses_find(struct usdt_addresses *addresses, uint64_t address, struct symbol *found)
{
	const struct mapping *mapping = see_mapping(addresses, address);
	struct object *object;
	uint64_t offset, begin;

	if (!mapping)
		return false;
	object = &addresses->objects[mapping->object];
	read_object(addresses, object);
	*found = (struct symbol){.module = object->module, .module_begin = object->begin};
	offset = address - mapping->begin + mapping->offset;
	for (size_t i = 0; i < object->segment_count; i++) {
		const struct segment *segment = &object->segments[i];
		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		offset += segment->address - segment->offset;
		found->function = usdt_functions_find(&object->functions, offset, &begin);
		if (found->function)
			found->function_begin = address - (offset - begin);
		break;
	}
	return true;
}
