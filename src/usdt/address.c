/*
 * address.c: see address.h. Nothing here trusts the files: if a symbol table cannot be read,
 * its file has no functions.
 */
#include "usdt/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usdt/debug_file.h"
#include "usdt/function.h"
#include "usdt/mapped_code.h"
#include "usdt/perf_map.h"

/* What is known of a file of the map, by the file's number. */
struct symbol_object {
	bool is_read;
	size_t segment_count;
	struct mapped_segment *segments;
	struct usdt_functions functions;
};

struct usdt_addresses {
	struct mapped_code map;
	struct perf_map jit;
	size_t object_count;
	struct symbol_object **objects; /* NULL: not asked for yet */
};

int usdt_addresses_new(pid_t pid, struct usdt_addresses **addresses)
{
	*addresses = calloc(1, sizeof(**addresses));
	if (!*addresses)
		return -ENOMEM;
	mapped_code_open(&(*addresses)->map, pid);
	perf_map_open(&(*addresses)->jit, pid);
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
	perf_map_close(&addresses->jit);
	free(addresses);
}

/* Replaces the functions by those of the debug file, if there is one. */
static void read_debug_file(Elf *elf, const char *path, struct usdt_functions *functions)
{
	int file = debug_file_open(elf, path, DEBUG_FILE_FOLDER);
	struct usdt_functions read = {0};
	Elf *debug;

	if (file < 0)
		return;
	debug = elf_begin(file, ELF_C_READ, NULL);
	if (debug && usdt_functions_read(debug, &read) && read.count) {
		usdt_functions_free(functions);
		*functions = read;
	} else {
		usdt_functions_free(&read);
	}
	elf_end(debug);
	close(file);
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
		if (!usdt_functions_read(elf, &object->functions))
			read_debug_file(elf, file->path, &object->functions);
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

/*
 * Whether the area may contain the code of a JIT compiler: memory without a file, or with a file
 * that is no program, which JIT compilers use to map it twice. No area (NULL) may, since the
 * process may have ended before its mappings were read again.
 */
static bool may_be_jit(const struct usdt_addresses *addresses, const struct mapped_area *area)
{
	if (!area)
		return true;
	if (!area->is_executable)
		return false;
	if (area->file == MAPPED_ANONYMOUS)
		return true;
	return area->file < addresses->object_count && addresses->objects[area->file] &&
		addresses->objects[area->file]->is_read &&
		!addresses->objects[area->file]->segment_count;
}

static bool find_jit(struct usdt_addresses *addresses, const struct mapped_area *area,
	uint64_t address, struct symbol *found)
{
	const struct perf_map_function *function =
		may_be_jit(addresses, area) ? perf_map_find(&addresses->jit, address) : NULL;

	if (!function)
		return false;
	*found = (struct symbol){.module = addresses->jit.module,
		.module_begin = area ? area->begin : function->begin,
		.function = function->name,
		.function_begin = function->begin};
	return true;
}

void usdt_addresses_note(struct usdt_addresses *addresses, uint64_t address)
{
	const struct mapped_area *area = mapped_code_find(&addresses->map, address);
	struct symbol found;

	find_jit(addresses, area, address, &found);
}

static bool find_in_file(struct usdt_addresses *addresses, const struct mapped_area *area,
	uint64_t address, struct symbol *found)
{
	struct mapped_file *file = &addresses->map.files[area->file];
	struct symbol_object *object = object_of(addresses, area->file);
	uint64_t stated, begin;

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

bool usdt_addresses_find(struct usdt_addresses *addresses, uint64_t address, struct symbol *found)
{
	const struct mapped_area *area = mapped_code_find(&addresses->map, address);
	bool is_found = false;

	if (!area)
		return find_jit(addresses, NULL, address, found);
	if (area->file < addresses->map.file_count)
		is_found = find_in_file(addresses, area, address, found);
	return find_jit(addresses, area, address, found) || is_found;
}
