/*
 * address.c: see address.h. Nothing here trusts the files: if a symbol table cannot be read,
 * its file has no functions.
 */
#include "usdt/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "usdt/function.h"
#include "usdt/mapped_code.h"

/* What is known of a file of the map, by the file's number. */
struct symbol_object {
	bool is_read;
	size_t segment_count;
	struct mapped_segment *segments;
	struct usdt_functions functions;
};

struct usdt_addresses {
	struct mapped_code map;
	size_t object_count;
	struct symbol_object **objects; /* NULL: not asked for yet */
};

int usdt_addresses_new(pid_t pid, struct usdt_addresses **addresses)
{
	*addresses = calloc(1, sizeof(**addresses));
	if (!*addresses)
		return -ENOMEM;
	mapped_code_open(&(*addresses)->map, pid);
	return 0;
}

void usdt_addresses_free(struct usdt_addresses *addresses)
{
	if (!addresses)
		return;
	for (size_t i = 0; i < addresses->object_count; i++) {
		struct symbol_object *object = addresses->objects[i];
		if (!object)
			continue;
		usdt_functions_free(&object->functions);
		free(object->segments);
		free(object);
	}
	free(addresses->objects);
	mapped_code_close(&addresses->map);
	free(addresses);
}

static void read_object(
	struct mapped_code *map, struct mapped_file *file, struct symbol_object *object)
{
	Elf *elf;

	object->is_read = true;
	if (file->file < 0)
		return;
	elf_version(EV_CURRENT);
	elf = elf_begin(file->file, ELF_C_READ, NULL);
	if (elf) {
		object->segments = mapped_segments_read(elf, &object->segment_count);
		usdt_functions_read(elf, &object->functions);
		elf_end(elf);
	}
	mapped_file_close(map, file);
}

/* NULL if memory runs out. */
static struct symbol_object *object_of(struct usdt_addresses *addresses, size_t number)
{
	struct symbol_object **grown;

	if (number >= addresses->object_count) {
		size_t count = addresses->map.file_count;
		grown = realloc(addresses->objects, count * sizeof(*grown));
		if (!grown)
			return NULL;
		memset(grown + addresses->object_count, 0,
			(count - addresses->object_count) * sizeof(*grown));
		addresses->objects = grown;
		addresses->object_count = count;
	}
	if (!addresses->objects[number])
		addresses->objects[number] = calloc(1, sizeof(struct symbol_object));
	return addresses->objects[number];
}

void usdt_addresses_note(struct usdt_addresses *addresses, uint64_t address)
{
	mapped_code_find(&addresses->map, address);
}

bool usdt_addresses_find(struct usdt_addresses *addresses, uint64_t address, struct symbol *found)
{
	const struct mapped_area *area = mapped_code_find(&addresses->map, address);
	struct mapped_file *file;
	struct symbol_object *object;
	uint64_t stated, begin;

	if (!area || area->file >= addresses->map.file_count)
		return false;
	file = &addresses->map.files[area->file];
	object = object_of(addresses, area->file);
	if (!object)
		return false;
	if (!object->is_read)
		read_object(&addresses->map, file, object);
	*found = (struct symbol){.module = mapped_file_name(file), .module_begin = file->begin};
	if (mapped_segments_address(object->segments, object->segment_count,
		    address - area->begin + area->offset, &stated)) {
		found->function = usdt_functions_find(&object->functions, stated, &begin);
		if (found->function)
			found->function_begin = address - (stated - begin);
	}
	return true;
}
