/*
 * code_object.c: see code_object.h. What a file says about leaving functions is in the names of
 * its sections and of the functions that it imports.
 */
#include "usdt/code/code_object.h"

#include <errno.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "usdt/code/code.h"
#include "usdt/elf/debug_file.h"

enum {
	WINDOW = 256 << 10,    /* bytes read at once */
	SYMBOLS_MAX = 1 << 24, /* of a table that is searched */
	LOADS_MAX = 4096
};

static bool is_any(const char *name, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

#define IS_ANY(name, names) is_any((name), (names), sizeof(names) / sizeof((names)[0]))

static void add_range(struct code_range *ranges, size_t count, const GElf_Shdr *header)
{
	for (size_t i = 0; i < count; i++) {
		if (ranges[i].begin < ranges[i].end)
			continue;
		if (header->sh_addr + header->sh_size > header->sh_addr)
			ranges[i] = (struct code_range){
				header->sh_addr, header->sh_addr + header->sh_size};
		return;
	}
}

static bool is_within(const struct code_range *ranges, size_t count, uint64_t address)
{
	for (size_t i = 0; i < count; i++)
		if (address >= ranges[i].begin && address < ranges[i].end)
			return true;
	return false;
}

/* C++'s own library and the C library have the tables of exceptions, but for their callers. */
static bool is_library_of_c(const char *name)
{
	return !strncmp(name, "libc.so", 7) || !strncmp(name, "libc-", 5) ||
		!strncmp(name, "ld-", 3) || !strncmp(name, "libpthread", 10) ||
		!strncmp(name, "libgcc_s", 8);
}

static void read_sections(Elf *elf, const char *name, struct code_object *object)
{
	static const char *const plts[] = {".plt", ".plt.got", ".plt.sec", ".iplt"};
	static const char *const starts[] = {".init", ".fini"};
	static const char *const go[] = {".gopclntab", ".go.buildinfo"};
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *text;

		if (!gelf_getshdr(section, &header) ||
			!(text = elf_strptr(elf, names, header.sh_name)))
			continue;
		if (IS_ANY(text, plts))
			add_range(object->plt, 4, &header);
		else if (IS_ANY(text, starts))
			add_range(object->start, 2, &header);
		else if (IS_ANY(text, go))
			object->leaves |= CODE_GO;
		else if (!strncmp(text, ".gcc_except_table", 17) && !is_library_of_c(name))
			object->leaves |= CODE_THROWS;
	}
}

/* What a function that an object imports, or defines, says about how functions are left. */
static unsigned leaves_by(const char *name, bool is_imported)
{
	static const char *const throw[] = {
		"_Unwind_RaiseException", "_Unwind_ForcedUnwind", "__cxa_throw"};
	static const char *const exits[] = {"pthread_exit", "pthread_cancel", "thrd_exit"};
	static const char *const switches[] = {"swapcontext", "setcontext", "makecontext"};
	static const char *const own[] = {"jump_fcontext", "ontop_fcontext", "coroutine_transfer",
		"coro_transfer", "_swap_context", "jl_swap_fiber"};

	if (IS_ANY(name, own))
		return CODE_SWITCHES;
	if (!is_imported)
		return 0;
	return IS_ANY(name, throw)       ? CODE_THROWS
		: IS_ANY(name, exits)    ? CODE_EXITS
		: IS_ANY(name, switches) ? CODE_SWITCHES
					 : 0;
}

/* Of these, the functions that switch stacks are local ones, whose names are often gone. */
static bool is_known_to_switch(const char *name)
{
	static const char *const names[] = {"libruby", "ruby", "libphp", "php", "qemu-",
		"libboost_context", "libboost_coroutine"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(name, names[i], strlen(names[i])))
			return true;
	return false;
}

static void read_imports(Elf *elf, struct code_object *object)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		Elf_Data *data;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM ||
			!header.sh_entsize || !(data = elf_getdata(section, NULL)))
			continue;
		for (int i = 0; i < SYMBOLS_MAX && gelf_getsym(data, i, &symbol); i++) {
			const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);

			if (name)
				object->leaves |= leaves_by(name, symbol.st_shndx == SHN_UNDEF);
		}
	}
}

static int read_loads(Elf *elf, struct code_object *object)
{
	size_t count;

	if (elf_getphdrnum(elf, &count) || count > LOADS_MAX)
		return -ENOEXEC;
	object->loads = calloc(count + 1, sizeof(*object->loads));
	if (!object->loads)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr header;

		if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD)
			object->loads[object->load_count++] = (struct code_load){header.p_vaddr,
				header.p_offset, header.p_filesz, header.p_flags & PF_X};
	}
	return 0;
}

static void read_functions(Elf *elf, const char *path, struct usdt_functions *functions)
{
	struct usdt_functions read = {0};
	Elf *debug = NULL;
	int file;

	if (usdt_functions_read(elf, functions))
		return;
	file = debug_file_open(elf, path, DEBUG_FILE_FOLDER);
	if (file >= 0)
		debug = elf_begin(file, ELF_C_READ, NULL);
	if (debug && usdt_functions_read(debug, &read) && read.count) {
		usdt_functions_free(functions);
		*functions = read;
	} else {
		usdt_functions_free(&read);
	}
	elf_end(debug);
	if (file >= 0)
		close(file);
}

size_t code_cold_stem(const char *name)
{
	static const char *const suffixes[] = {".cold", ".__part."};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t length = strlen(suffixes[i]);
		const char *found = strstr(name, suffixes[i]);

		if (found && found != name &&
			(suffixes[i][length - 1] == '.' || !found[length] || found[length] == '.'))
			return (size_t)(found - name);
	}
	return 0;
}

static const char *name_of(const struct code_object *object, uint32_t index)
{
	return object->functions.texts + object->functions.functions[index].name;
}

static int compare_cold(const void *a, const void *b, void *object)
{
	return strcmp(name_of(object, *(const uint32_t *)a), name_of(object, *(const uint32_t *)b));
}

/* Keeps only code, notes which functions are parts of others, and what the names say. */
static int sort_functions(struct code_object *object)
{
	struct usdt_functions *functions = &object->functions;
	size_t kept = 0, cold = 0;

	for (size_t i = 0; i < functions->count; i++)
		if (functions->functions[i].type != STT_OBJECT)
			functions->functions[kept++] = functions->functions[i];
	functions->count = kept;
	for (uint32_t i = 0; i < kept; i++) {
		object->leaves |= leaves_by(name_of(object, i), false);
		cold += code_cold_stem(name_of(object, i)) != 0;
	}
	object->cold = calloc(cold + 1, sizeof(*object->cold));
	if (!object->cold)
		return -ENOMEM;
	for (uint32_t i = 0; i < kept; i++)
		if (code_cold_stem(name_of(object, i)))
			object->cold[object->cold_count++] = i;
	qsort_r(object->cold, cold, sizeof(*object->cold), compare_cold, object);
	return 0;
}

int code_object_read(int file, const char *path, struct code_object *object)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	GElf_Ehdr header;
	int result = 0;
	Elf *elf;

	*object = (struct code_object){.file = file};
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
		result = -ENOEXEC;
	if (result == 0)
		result = read_loads(elf, object);
	if (result == 0) {
		object->machine = header.e_machine;
		read_sections(elf, name, object);
		read_imports(elf, object);
		if (is_known_to_switch(name))
			object->leaves |= CODE_SWITCHES;
		if (is_library_of_c(name))
			object->leaves = 0;
		read_functions(elf, path, &object->functions);
		result = sort_functions(object);
	}
	elf_end(elf);
	if (result < 0)
		code_object_free(object);
	return result;
}

void code_object_free(struct code_object *object)
{
	if (object->file >= 0)
		close(object->file);
	usdt_functions_free(&object->functions);
	free(object->loads);
	free(object->cold);
	free(object->window);
	*object = (struct code_object){.file = -1};
}

const char *code_object_offset(const struct code_object *object, uint64_t address, uint64_t *offset)
{
	*offset = 0;
	if (is_within(object->plt, 4, address))
		return "it is an entry of the PLT, which jumps to a function of another object";
	if (is_within(object->start, 2, address))
		return "it is the linker's code in .init or .fini";
	for (size_t i = 0; i < object->load_count; i++) {
		const struct code_load *load = &object->loads[i];

		if (address < load->address || address - load->address >= load->size)
			continue;
		*offset = load->offset + (address - load->address);
		return load->is_executable ? NULL : "its segment is not executable";
	}
	return "its symbol lies outside of the file's segments";
}

bool code_object_address(const struct code_object *object, uint64_t offset, uint64_t *address)
{
	for (size_t i = 0; i < object->load_count; i++) {
		const struct code_load *load = &object->loads[i];

		if (load->is_executable && offset >= load->offset &&
			offset - load->offset < load->size) {
			*address = load->address + (offset - load->offset);
			return true;
		}
	}
	return false;
}

const uint8_t *code_object_bytes(
	struct code_object *object, uint64_t offset, size_t count, size_t *available)
{
	size_t wanted = count > WINDOW ? count : WINDOW;
	ssize_t got;

	if (offset < object->window_offset ||
		offset - object->window_offset > object->window_size ||
		object->window_size - (offset - object->window_offset) < count) {
		if (wanted > object->window_capacity) {
			uint8_t *grown = realloc(object->window, wanted);

			if (!grown)
				return NULL;
			object->window = grown;
			object->window_capacity = wanted;
		}
		got = offset <= INT64_MAX
			? pread(object->file, object->window, wanted, (off_t)offset)
			: 0;
		object->window_offset = offset;
		object->window_size = got > 0 ? (size_t)got : 0;
	}
	*available = object->window_size - (size_t)(offset - object->window_offset);
	if (*available > count)
		*available = count;
	return object->window + (offset - object->window_offset);
}

const struct usdt_function *code_object_cold(
	const struct code_object *object, const char *name, size_t number)
{
	size_t length = strlen(name), low = 0, high = object->cold_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(name_of(object, object->cold[middle]), name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < object->cold_count; low++) {
		const char *cold = name_of(object, object->cold[low]);

		if (strncmp(cold, name, length) != 0)
			return NULL;
		if (code_cold_stem(cold) == length && number-- == 0)
			return &object->functions.functions[object->cold[low]];
	}
	return NULL;
}

bool code_object_is_cold(const struct code_object *object, const char *name, uint64_t address)
{
	const struct usdt_function *part;

	for (size_t i = 0; (part = code_object_cold(object, name, i)); i++)
		if (address >= part->begin && address - part->begin < part->size)
			return true;
	return false;
}

bool code_object_is_function(const struct code_object *object, uint64_t address)
{
	const struct usdt_functions *functions = &object->functions;
	size_t low = 0, high = functions->count;

	if (is_within(object->plt, 4, address))
		return true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (functions->functions[middle].begin < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < functions->count && functions->functions[low].begin == address &&
		!code_cold_stem(name_of(object, (uint32_t)low));
}
