/* function.c: see function.h. */
#include "usdt/elf/function.h"

#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "usdt/elf/section.h"

enum {
	TEXTS_MAX = 1 << 30,
	FUNCTIONS_MAX = 1 << 24,
	NAME_MAX_READ = 512,
	STUB_BYTES = 16,  /* of a procedure linkage table */
	OVERLAPS_MAX = 16 /* how many symbols to look back at when symbols overlap */
};

/* false if memory runs out or the texts are too large. */
static bool add_text(struct usdt_functions *functions, const char *text, uint32_t *at)
{
	size_t size = strlen(text) + 1;

	if (functions->text_size + size > functions->text_capacity) {
		size_t capacity = functions->text_capacity * 2 + size + 4096;
		char *grown = capacity < TEXTS_MAX ? realloc(functions->texts, capacity) : NULL;
		if (!grown)
			return false;
		functions->texts = grown;
		functions->text_capacity = capacity;
	}
	*at = (uint32_t)functions->text_size;
	memcpy(functions->texts + functions->text_size, text, size);
	functions->text_size += size;
	return true;
}

static bool add_function(
	struct usdt_functions *functions, const struct usdt_function *function, const char *name)
{
	struct usdt_function *added;

	if (functions->count == FUNCTIONS_MAX ||
		array_room(&functions->functions, &functions->capacity, functions->count,
			sizeof(*added)))
		return false;
	added = &functions->functions[functions->count];
	*added = *function;
	if (!add_text(functions, name, &added->name))
		return false;
	functions->count++;
	return true;
}

static int compare(const void *a, const void *b, void *texts)
{
	const struct usdt_function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	/* A search finds the last one first. */
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	return strcmp((const char *)texts + y->name, (const char *)texts + x->name);
}

/* Sorts, and frees the excess capacity. */
static void finish(struct usdt_functions *functions)
{
	void *fitted;

	if (!functions->count)
		return;
	qsort_r(functions->functions, functions->count, sizeof(*functions->functions), compare,
		functions->texts);
	fitted = realloc(functions->functions, functions->count * sizeof(*functions->functions));
	if (fitted) {
		functions->functions = fitted;
		functions->capacity = functions->count;
	}
	fitted = realloc(functions->texts, functions->text_size);
	if (fitted) {
		functions->texts = fitted;
		functions->text_capacity = functions->text_size;
	}
}

/*
 * Local names come after the others, then those with more leading underscores, then weak ones;
 * those without a size come last.
 */
static uint32_t rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned bind = GELF_ST_BIND(symbol->st_info), underscores = 0;

	while (name[underscores] == '_')
		underscores++;
	return (symbol->st_size ? 0 : 1000) + (bind == STB_GLOBAL || bind == STB_WEAK ? 0 : 200) +
		2 * (underscores < 99 ? underscores : 99) + (bind == STB_WEAK);
}

static bool is_wanted(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS &&
		(type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_OBJECT);
}

static Elf_Scn *find_table(Elf *elf, GElf_Shdr *header)
{
	Elf_Scn *section = NULL, *dynamic = NULL;

	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, header))
			continue;
		if (header->sh_type == SHT_SYMTAB)
			return section;
		if (header->sh_type == SHT_DYNSYM)
			dynamic = section;
	}
	return dynamic && gelf_getshdr(dynamic, header) ? dynamic : NULL;
}

bool usdt_functions_read(Elf *elf, struct usdt_functions *functions)
{
	GElf_Shdr header;
	Elf_Scn *section = find_table(elf, &header);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	size_t count = data && header.sh_entsize ? header.sh_size / header.sh_entsize : 0;
	GElf_Sym symbol;

	for (size_t i = 0; i < count && i < FUNCTIONS_MAX; i++) {
		struct usdt_function function = {0};
		const char *name;
		if (!gelf_getsym(data, (int)i, &symbol))
			break;
		if (!is_wanted(&symbol))
			continue;
		name = elf_strptr(elf, header.sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		function.begin = symbol.st_value;
		function.size = symbol.st_size;
		function.rank = rank_of(&symbol, name);
		function.type = GELF_ST_TYPE(symbol.st_info);
		if (!add_function(functions, &function, name))
			break;
	}
	finish(functions);
	return section && header.sh_type == SHT_SYMTAB;
}

/* Returns the name of the function that a relocation is for; NULL: it has none. */
static const char *relocated_name(Elf *elf, const GElf_Shdr *table, const GElf_Rela *relocation)
{
	Elf_Scn *symbols = elf_getscn(elf, table->sh_link);
	Elf_Data *data = symbols ? elf_getdata(symbols, NULL) : NULL;
	size_t number = GELF_R_SYM(relocation->r_info);
	GElf_Shdr header;
	GElf_Sym symbol;
	const char *name;

	if (!number || number > INT32_MAX || !data || !gelf_getshdr(symbols, &header) ||
		!gelf_getsym(data, (int)number, &symbol))
		return NULL;
	name = elf_strptr(elf, header.sh_link, symbol.st_name);
	return name && *name ? name : NULL;
}

void usdt_functions_add_stubs(Elf *elf, struct usdt_functions *functions)
{
	GElf_Shdr table, stubs;
	GElf_Ehdr file;
	Elf_Scn *section;
	Elf_Data *data;
	uint64_t first = 0;
	size_t count;

	if (!gelf_getehdr(elf, &file) || file.e_machine != EM_X86_64)
		return;
	section = elf_section_find(elf, ".rela.plt", &table);
	data = section && table.sh_type == SHT_RELA ? elf_getdata(section, NULL) : NULL;
	if (!data || !table.sh_entsize)
		return;
	if (elf_section_find(elf, ".plt.sec", &stubs))
		first = stubs.sh_addr;
	else if (elf_section_find(elf, ".plt", &stubs))
		first = stubs.sh_addr + STUB_BYTES; /* after the one that looks functions up */
	else
		return;
	count = table.sh_size / table.sh_entsize;
	for (size_t i = 0; i < count && first + i * STUB_BYTES < stubs.sh_addr + stubs.sh_size;
		i++) {
		struct usdt_function function = {
			.begin = first + i * STUB_BYTES, .size = STUB_BYTES, .type = STT_FUNC};
		char text[NAME_MAX_READ];
		const char *name;
		GElf_Rela relocation;

		if (!gelf_getrela(data, (int)i, &relocation))
			break;
		name = relocated_name(elf, &table, &relocation);
		if (!name)
			continue;
		snprintf(text, sizeof(text), "%.*s@plt", (int)sizeof(text) - 8, name);
		if (!add_function(functions, &function, text))
			break;
	}
	finish(functions);
}

/*
 * Finds the number of a module, which is created if it is new. The symbols of a module are
 * consecutive, so it is nearly always the previous one. false if memory runs out.
 */
static bool find_module(struct usdt_functions *functions, const char *name, uint32_t *module)
{
	struct usdt_module *added;

	for (size_t i = functions->module_count; i-- > 0;) {
		if (!strcmp(functions->texts + functions->modules[i].name, name)) {
			*module = (uint32_t)i;
			return true;
		}
	}
	if (array_room(&functions->modules, &functions->module_room, functions->module_count,
		    sizeof(*added)))
		return false;
	*module = (uint32_t)functions->module_count;
	added = &functions->modules[*module];
	added->begin = UINT64_MAX;
	if (!add_text(functions, name, &added->name))
		return false;
	functions->module_count++;
	return true;
}

void usdt_functions_read_kernel(const char *path, struct usdt_functions *functions)
{
	FILE *file = fopen(path, "re");
	char name[NAME_MAX_READ], module[NAME_MAX_READ], type, *line = NULL;
	size_t capacity = 0;
	bool any = false;

	while (file && getline(&line, &capacity, file) > 0) {
		struct usdt_function function = {0};
		int fields = sscanf(line, "%" SCNx64 " %c %511s [%511[^]]]", &function.begin, &type,
			name, module);
		if (fields < 3 || !strchr("tTwWdDbBrR", type))
			continue;
		function.rank = type >= 'A' && type <= 'Z' ? 0 : 1;
		if (!find_module(functions, fields == 4 ? module : "vmlinux", &function.module) ||
			!add_function(functions, &function, name))
			break;
		if (function.begin < functions->modules[function.module].begin)
			functions->modules[function.module].begin = function.begin;
		any |= function.begin != 0;
	}
	free(line);
	if (file)
		fclose(file);
	if (any)
		finish(functions);
	else
		usdt_functions_free(functions);
}

void usdt_functions_free(struct usdt_functions *functions)
{
	free(functions->functions);
	free(functions->texts);
	free(functions->modules);
	memset(functions, 0, sizeof(*functions));
}

static const struct usdt_function *find_function(
	const struct usdt_functions *functions, uint64_t address)
{
	const size_t low = functions->count
		? bisect_up_to(&functions->functions[0].begin, functions->count,
			  sizeof(functions->functions[0]), address)
		: 0;

	for (size_t i = low; i > 0 && low - i < OVERLAPS_MAX; i--) {
		const struct usdt_function *function = &functions->functions[i - 1];
		/* The last symbol of a table covers nothing if it has no size. */
		if (function->size ? address - function->begin < function->size
				   : i == low && low < functions->count)
			return function;
	}
	return NULL;
}

const char *usdt_functions_find(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin)
{
	const struct usdt_function *function = find_function(functions, address);

	if (!function)
		return NULL;
	*begin = function->begin;
	return functions->texts + function->name;
}

const char *usdt_functions_module(
	const struct usdt_functions *functions, uint64_t address, uint64_t *begin)
{
	const struct usdt_function *function = find_function(functions, address);
	const struct usdt_module *module;

	if (!function || function->module >= functions->module_count)
		return NULL;
	module = &functions->modules[function->module];
	*begin = module->begin;
	return functions->texts + module->name;
}
