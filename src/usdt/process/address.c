/*
 * address.c: see address.h. Nothing here trusts the files: if a symbol table cannot be read,
 * its file has no functions.
 */
#include "usdt/process/address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usdt/elf/debug_file.h"
#include "usdt/elf/function.h"
#include "usdt/elf/inline_frames.h"
#include "usdt/process/file_store.h"
#include "usdt/process/mapped_code.h"
#include "usdt/process/perf_map.h"

/* What is known of a file. */
struct symbol_object {
	size_t segment_count;
	struct mapped_segment *segments;
	struct usdt_functions functions;
	struct inline_frames *inlined; /* NULL: there is no debug information */
};

struct usdt_addresses {
	struct mapped_code map;
	struct perf_map jit;
	struct file_store own; /* if the caller has none */
	bool has_own;
	struct symbol_object *vdso; /* NULL: not read yet */
};

int usdt_addresses_new(pid_t pid, struct file_store *store, struct usdt_addresses **addresses)
{
	*addresses = calloc(1, sizeof(**addresses));
	if (!*addresses)
		return -ENOMEM;
	(*addresses)->has_own = !store;
	if (!store) {
		store = &(*addresses)->own;
		usdt_addresses_store(store);
	}
	mapped_code_open(&(*addresses)->map, pid, store);
	perf_map_open(&(*addresses)->jit, pid);
	return 0;
}

static void free_object(void *content)
{
	struct symbol_object *object = content;

	usdt_functions_free(&object->functions);
	inline_frames_close(object->inlined);
	free(object->segments);
	free(object);
}

void usdt_addresses_free(struct usdt_addresses *addresses)
{
	if (!addresses)
		return;
	mapped_code_close(&addresses->map);
	perf_map_close(&addresses->jit);
	if (addresses->has_own)
		file_store_end(&addresses->own);
	if (addresses->vdso)
		free_object(addresses->vdso);
	free(addresses);
}

enum usdt_unnamed usdt_addresses_unnamed(const struct usdt_addresses *addresses, uint64_t address)
{
	const struct mapped_code *map = &addresses->map;
	const struct mapped_area *area = mapped_code_known(map, address);

	if (!map->area_count)
		return USDT_UNNAMED_PROCESS;
	if (area && area->file == MAPPED_VDSO)
		return USDT_UNNAMED_SYMBOL;
	if (!area || area->file >= map->file_count)
		return USDT_UNNAMED_MEMORY;
	return map->files[area->file].stored ? USDT_UNNAMED_SYMBOL : USDT_UNNAMED_FILE;
}

/* Reads what the debug file has, if there is one. */
static void read_debug_file(Elf *elf, const char *path, struct symbol_object *object)
{
	int file = debug_file_open(elf, path, DEBUG_FILE_FOLDER);
	struct usdt_functions read = {0};
	Elf *debug;

	if (file < 0)
		return;
	debug = elf_begin(file, ELF_C_READ, NULL);
	if (debug && usdt_functions_read(debug, &read) && read.count) {
		usdt_functions_free(&object->functions);
		object->functions = read;
	} else {
		usdt_functions_free(&read);
	}
	elf_end(debug);
	if (!object->inlined)
		object->inlined = inline_frames_open(file);
	close(file);
}

static void *read_object(void *context, int file, const char *path)
{
	struct symbol_object *object = calloc(1, sizeof(*object));
	Elf *elf;

	(void)context;
	elf_version(EV_CURRENT);
	elf = object ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (elf) {
		object->segments = mapped_segments_read(elf, &object->segment_count);
		object->inlined = inline_frames_open(file);
		if (!usdt_functions_read(elf, &object->functions))
			read_debug_file(elf, path, object);
		usdt_functions_add_stubs(elf, &object->functions);
		elf_end(elf);
	}
	return object;
}

static struct symbol_object *read_vdso(void)
{
	struct symbol_object *object = calloc(1, sizeof(*object));
	Elf *elf = object ? mapped_vdso_open() : NULL;

	if (elf) {
		object->segments = mapped_segments_read(elf, &object->segment_count);
		usdt_functions_read(elf, &object->functions);
		elf_end(elf);
	}
	return object;
}

void usdt_addresses_store(struct file_store *store)
{
	file_store_begin(
		store, &(struct file_store_owner){.read = read_object, .free = free_object});
}

/*
 * Whether the area may contain the code of a JIT compiler: memory without a file, or with a file
 * that is no program, which JIT compilers use to map it twice. No area (NULL) may, since the
 * process may have ended before its mappings were read again.
 */
static bool may_be_jit(const struct usdt_addresses *addresses, const struct mapped_area *area)
{
	const struct symbol_object *object;

	if (!area)
		return true;
	if (!area->is_executable)
		return false;
	if (area->file == MAPPED_ANONYMOUS)
		return true;
	if (area->file >= addresses->map.file_count || !addresses->map.files[area->file].stored)
		return false;
	object = stored_file_content(addresses->map.files[area->file].stored);
	return object && !object->segment_count;
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

/* Finds the function at an address of an area, whose file this is. */
static void find_function(const struct symbol_object *object, const struct mapped_area *area,
	uint64_t address, struct symbol *found)
{
	uint64_t stated, begin;

	if (!mapped_segments_address(object->segments, object->segment_count,
		    address - area->begin + area->offset, &stated))
		return;
	found->function = usdt_functions_find(&object->functions, stated, &begin);
	if (found->function)
		found->function_begin = address - (stated - begin);
}

static bool find_in_file(struct usdt_addresses *addresses, const struct mapped_area *area,
	uint64_t address, struct symbol *found)
{
	struct mapped_file *file = &addresses->map.files[area->file];
	const struct symbol_object *object =
		file->stored ? file_store_content(addresses->map.store, file->stored) : NULL;

	*found = (struct symbol){.module = mapped_file_name(file), .module_begin = file->begin};
	if (object)
		find_function(object, area, address, found);
	return true;
}

/* A process of 32 bits has another vdso than this one. */
static bool find_in_vdso(struct usdt_addresses *addresses, const struct mapped_area *area,
	uint64_t address, struct symbol *found)
{
	*found = (struct symbol){.module = "[vdso]", .module_begin = area->begin};
	if (area->begin <= UINT32_MAX)
		return true;
	if (!addresses->vdso)
		addresses->vdso = read_vdso();
	if (addresses->vdso)
		find_function(addresses->vdso, area, address, found);
	return true;
}

bool usdt_addresses_find(struct usdt_addresses *addresses, uint64_t address, struct symbol *found)
{
	const struct mapped_area *area = mapped_code_find(&addresses->map, address);
	bool is_found = false;

	if (!area)
		return find_jit(addresses, NULL, address, found);
	if (area->file == MAPPED_VDSO)
		return find_in_vdso(addresses, area, address, found);
	if (area->file < addresses->map.file_count)
		is_found = find_in_file(addresses, area, address, found);
	return find_jit(addresses, area, address, found) || is_found;
}

size_t usdt_addresses_inlined(
	struct usdt_addresses *addresses, uint64_t address, const char **names, size_t most)
{
	const struct mapped_area *area = mapped_code_find(&addresses->map, address);
	const struct symbol_object *object = NULL;
	uint64_t stated;

	if (area && area->file < addresses->map.file_count &&
		addresses->map.files[area->file].stored)
		object = file_store_content(
			addresses->map.store, addresses->map.files[area->file].stored);
	if (!object || !object->inlined ||
		!mapped_segments_address(object->segments, object->segment_count,
			address - area->begin + area->offset, &stated))
		return 0;
	return inline_frames_find(object->inlined, stated, names, most);
}
