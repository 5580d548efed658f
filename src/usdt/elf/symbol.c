/*
 * symbol.c: names for the places of an image: the function around a site, the symbol of a
 * semaphore and whether other objects could bind to it.
 *
 * A program may have a million symbols and a hundred sites, or few symbols and ten thousand
 * sites. So the sites are sorted first. One pass over the symbol table then keeps the
 * functions that contain a site, which bisection finds; only those are sorted and searched.
 * The table is .symtab, or .dynsym if that has been stripped.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "usdt/elf/image_private.h"

enum {
	/* how many functions to look back at when functions overlap */
	OVERLAPS_MAX = 32
};

struct point {
	uint32_t section; /* 0 in linked images, where addresses suffice */
	uint64_t address;
	struct usdt_site *site;
	struct usdt_site *first; /* of all sites with the same semaphore */
};

struct function {
	uint32_t section;
	uint64_t begin, end;
	unsigned int rank; /* of the symbols at one place, the one with the highest rank wins */
	const char *name;  /* owned by libelf until it is used */
	const char *copy;
};

struct function_list {
	struct function *items;
	size_t count, capacity;
};

static int compare_points(const void *a, const void *b)
{
	const struct point *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->address < y->address ? -1 : x->address > y->address;
}

static int compare_functions(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return strcmp(y->name, x->name); /* the first in the alphabet wins, so that every run gives
					    the same result */
}

/* The index of the first point at or after an address. */
static size_t first_point(
	const struct point *points, size_t count, uint32_t section, uint64_t address)
{
	const struct point wanted = {section, address, NULL, NULL};
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_points(&points[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_hidden(const GElf_Sym *symbol)
{
	unsigned int visibility = GELF_ST_VISIBILITY(symbol->st_other);

	return GELF_ST_BIND(symbol->st_info) == STB_LOCAL || visibility == STV_HIDDEN ||
		visibility == STV_INTERNAL;
}

static bool names_semaphore(const char *name)
{
	static const char ending[] = "_semaphore";
	size_t length = strlen(name);

	return length >= sizeof(ending) - 1 &&
		strcmp(name + length - (sizeof(ending) - 1), ending) == 0;
}

/*
 * Handles a symbol at the place of a semaphore. Linkers' symbols (_edata and the like) may
 * be there too, so only objects count, and symbols named like a semaphore. The result is
 * stored in the first site with this semaphore.
 */
static int mark_semaphore(struct image_reader *reader, const struct point *point,
	const GElf_Sym *symbol, const char *name)
{
	struct usdt_site *site = point->first;

	if (!names_semaphore(name) && GELF_ST_TYPE(symbol->st_info) != STT_OBJECT)
		return 0;
	if (!is_hidden(symbol))
		site->semaphore_visibility = USDT_VISIBILITY_GLOBAL;
	else if (site->semaphore_visibility == USDT_VISIBILITY_UNKNOWN)
		site->semaphore_visibility = USDT_VISIBILITY_LOCAL;
	if (!site->semaphore_symbol ||
		(names_semaphore(name) && !names_semaphore(site->semaphore_symbol))) {
		site->semaphore_symbol = image_copy(reader->image, name);
		if (!site->semaphore_symbol)
			return -ENOMEM;
	}
	return 0;
}

/* Keeps a function if it contains a site. */
static int keep_function(struct image_reader *reader, const struct point *points, size_t count,
	uint32_t section, const GElf_Sym *symbol, const char *name, struct function_list *functions)
{
	const GElf_Shdr *header = &reader->sections[symbol->st_shndx].header;
	struct function function = {.section = section, .begin = symbol->st_value, .name = name};
	uint64_t section_end = header->sh_size;
	size_t point;

	if (reader->image->machine == EM_ARM)
		function.begin &= ~(uint64_t)1; /* the mark of Thumb code */
	if (!reader->image->is_relocatable)
		section_end += header->sh_addr;
	function.end = symbol->st_size ? function.begin + symbol->st_size : section_end;
	if (function.end < function.begin)
		function.end = UINT64_MAX;
	function.rank = (symbol->st_size > 0) * 4u +
		(GELF_ST_BIND(symbol->st_info) != STB_LOCAL) * 2u +
		(GELF_ST_BIND(symbol->st_info) == STB_GLOBAL);
	point = first_point(points, count, section, function.begin);
	if (point == count || points[point].section != section ||
		points[point].address >= function.end)
		return 0;
	if (array_room(&functions->items, &functions->capacity, functions->count,
		    sizeof(*functions->items)))
		return -ENOMEM;
	functions->items[functions->count++] = function;
	return 0;
}

/* The function around a place, NULL if none is known. */
static struct function *find_function(
	struct function *functions, size_t count, const struct point *point)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct function *function = &functions[middle];

		if (function->section < point->section ||
			(function->section == point->section && function->begin <= point->address))
			low = middle + 1;
		else
			high = middle;
	}
	for (unsigned int steps = 0; low > 0 && steps < OVERLAPS_MAX; steps++) {
		struct function *function = &functions[--low];

		if (function->section != point->section)
			break;
		if (point->address < function->end)
			return function;
	}
	return NULL;
}

static const struct image_section *symbol_table(const struct image_reader *reader)
{
	const struct image_section *dynamic = NULL;

	for (size_t i = 1; i < reader->section_count; i++) {
		const struct image_section *section = &reader->sections[i];

		if (section->header.sh_type == SHT_SYMTAB)
			return section;
		if (section->header.sh_type == SHT_DYNSYM)
			dynamic = section;
	}
	return dynamic;
}

static int scan(struct image_reader *reader, const struct image_section *table,
	const struct point *code, size_t code_count, const struct point *semaphores,
	size_t semaphore_count, struct function_list *functions)
{
	Elf_Data *data = elf_getdata(table->section, NULL);
	const uint8_t *strings;
	size_t count, strings_size;
	int error = 0;

	if (!data || table->header.sh_entsize == 0 || table->header.sh_link == 0 ||
		table->header.sh_link >= reader->section_count ||
		image_section_data(reader, table->header.sh_link, &strings, &strings_size) < 0)
		return 0; /* names are a convenience: the sites are valid without them */
	while (strings_size > 0 && strings[strings_size - 1])
		strings_size--;
	count = data->d_size / table->header.sh_entsize;
	for (size_t i = 1; error == 0 && i < count && i <= INT32_MAX; i++) {
		GElf_Sym symbol;
		const struct point *semaphore = NULL;
		unsigned int type;
		const char *name;
		uint32_t section;

		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		type = GELF_ST_TYPE(symbol.st_info);
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= reader->section_count ||
			(type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_OBJECT &&
				type != STT_NOTYPE))
			continue;
		section = reader->image->is_relocatable ? symbol.st_shndx : 0;
		if (type == STT_OBJECT || type == STT_NOTYPE) {
			size_t point =
				first_point(semaphores, semaphore_count, section, symbol.st_value);

			if (point == semaphore_count || semaphores[point].section != section ||
				semaphores[point].address != symbol.st_value)
				continue;
			semaphore = &semaphores[point];
		}
		if (symbol.st_name >= strings_size || !strings[symbol.st_name])
			continue;
		name = (const char *)strings + symbol.st_name;
		if (semaphore)
			error = mark_semaphore(reader, semaphore, &symbol, name);
		else
			error = keep_function(
				reader, code, code_count, section, &symbol, name, functions);
	}
	return error;
}

int image_symbols(struct image_reader *reader)
{
	struct usdt_image *image = reader->image;
	const struct image_section *table = symbol_table(reader);
	struct point *code = calloc(image->site_count, sizeof(*code));
	struct point *semaphores = calloc(image->site_count, sizeof(*semaphores));
	struct function_list functions = {0};
	size_t code_count = 0, semaphore_count = 0;
	int error = code && semaphores ? 0 : -ENOMEM;

	if (!table || error < 0)
		goto out;
	for (size_t i = 0; i < image->site_count; i++) {
		struct usdt_site *site = &image->sites[i];

		if (site->code.is_mapped)
			code[code_count++] =
				(struct point){site->code.section, site->code.address, site, site};
		if (site->semaphore.is_mapped &&
			site->semaphore_visibility == USDT_VISIBILITY_UNKNOWN)
			semaphores[semaphore_count++] = (struct point){
				site->semaphore.section, site->semaphore.address, site, site};
	}
	qsort(code, code_count, sizeof(*code), compare_points);
	qsort(semaphores, semaphore_count, sizeof(*semaphores), compare_points);
	/* of sites that share a semaphore, the first represents all */
	for (size_t i = 1; i < semaphore_count; i++)
		semaphores[i].first = compare_points(&semaphores[i - 1], &semaphores[i]) == 0
			? semaphores[i - 1].first
			: semaphores[i].site;
	error = scan(reader, table, code, code_count, semaphores, semaphore_count, &functions);
	if (error < 0)
		goto out;
	for (size_t i = 0; i < semaphore_count; i++) {
		semaphores[i].site->semaphore_symbol = semaphores[i].first->semaphore_symbol;
		semaphores[i].site->semaphore_visibility =
			semaphores[i].first->semaphore_visibility;
	}
	if (functions.count > 0)
		qsort(functions.items, functions.count, sizeof(*functions.items),
			compare_functions);
	for (size_t i = 0; i < code_count; i++) {
		struct function *function =
			find_function(functions.items, functions.count, &code[i]);

		if (!function)
			continue;
		if (!function->copy)
			function->copy = image_copy(image, function->name);
		if (!function->copy) {
			error = -ENOMEM;
			break;
		}
		code[i].site->function = function->copy;
	}
out:
	if (error < 0)
		error_set(reader->error, -error, "%s: out of memory", image->name);
	free(code);
	free(semaphores);
	free(functions.items);
	return error;
}
