/*
 * image.c: see image.h. The file as a whole, its segments, its notes.
 *
 * libelf reads the tables of sections and segments and provides the bytes of sections (by
 * reading, not by mapping, so that a file that shrinks meanwhile causes an error instead of
 * a signal). The notes are parsed here, because their byte order is the file's and libelf
 * does not convert their contents. Order of this file: memory, bytes, segments, notes, why
 * there are none, opening.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"

#include "base/error.h"
#include "contract/contract.h"
#include "usdt/elf/image_private.h"

enum {
	NOTE_TYPE = 3, /* of owner "stapsdt" */
	BLOCK_BYTES = 1 << 16
};

/* --- memory --- */

struct usdt_block {
	struct usdt_block *previous;
	size_t used, size;
	_Alignas(16) char bytes[];
};

/* Allocates memory that lives as long as the image; NULL if memory runs out. */
static void *image_allocate(struct usdt_image *image, size_t size)
{
	struct usdt_block *block = image->blocks;
	void *memory;

	size = (size + 15) & ~(size_t)15;
	if (!block || block->size - block->used < size) {
		size_t block_size = size > BLOCK_BYTES / 4 ? size : BLOCK_BYTES;

		block = malloc(sizeof(*block) + block_size);
		if (!block)
			return NULL;
		block->used = 0;
		block->size = block_size;
		block->previous = image->blocks;
		image->blocks = block;
	}
	memory = block->bytes + block->used;
	block->used += size;
	return memory;
}

char *image_copy(struct usdt_image *image, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = image_allocate(image, size);

	if (copy)
		memcpy(copy, text, size);
	return copy;
}

static int fail_memory(struct image_reader *reader)
{
	return error_set(reader->error, ENOMEM, "%s: out of memory", reader->image->name);
}

/* --- bytes --- */

/* Reads up to count bytes of the file at offset; returns the number of bytes read. */
static size_t image_bytes(
	struct image_reader *reader, uint64_t offset, uint8_t *bytes, size_t count)
{
	if (offset >= reader->size)
		return 0;
	if (count > reader->size - offset)
		count = reader->size - offset;
	/* sites are close together: one read serves many */
	if (offset < reader->window_offset ||
		offset + count > reader->window_offset + reader->window_size) {
		ssize_t got;

		reader->window_offset = offset & ~(uint64_t)4095;
		reader->window_size = 0;
		got = pread(reader->file, reader->window, sizeof(reader->window),
			(off_t)reader->window_offset);
		if (got > 0)
			reader->window_size = (size_t)got;
	}
	if (offset + count > reader->window_offset + reader->window_size)
		return 0;
	memcpy(bytes, reader->window + (offset - reader->window_offset), count);
	return count;
}

int image_section_data(
	struct image_reader *reader, size_t number, const uint8_t **data, size_t *size)
{
	Elf_Data *raw = elf_rawdata(reader->sections[number].section, NULL);

	*data = NULL;
	*size = 0;
	if (!raw || (raw->d_size > 0 && !raw->d_buf))
		return error_set(reader->error, EINVAL, "%s: section %zu (%s) cannot be read: %s",
			reader->image->name, number, reader->sections[number].name, elf_errmsg(-1));
	*data = raw->d_buf;
	*size = raw->d_size;
	return 0;
}

static uint64_t number_at(const struct usdt_image *image, const uint8_t *bytes, size_t size)
{
	uint64_t number = 0;

	for (size_t i = 0; i < size; i++)
		number = number << 8 | bytes[image->is_big_endian ? i : size - 1 - i];
	return number;
}

/* --- sections and segments --- */

static int truncated(struct image_reader *reader, const char *what)
{
	return error_set(
		reader->error, EINVAL, "%s: truncated or damaged: %s", reader->image->name, what);
}

static int read_sections(struct image_reader *reader, const GElf_Ehdr *header)
{
	size_t count = 0, names = 0;

	if (elf_getshdrnum(reader->elf, &count) < 0 || (count == 0 && header->e_shoff != 0))
		return truncated(reader, "its section table does not lie in the file");
	if (count == 0)
		return 0;
	if (elf_getshdrstrndx(reader->elf, &names) < 0)
		names = 0;
	reader->sections = calloc(count, sizeof(*reader->sections));
	reader->relocated_by = calloc(count, sizeof(*reader->relocated_by));
	if (!reader->sections || !reader->relocated_by)
		return fail_memory(reader);
	reader->section_count = count;
	for (size_t i = 0; i < count; i++) {
		struct image_section *section = &reader->sections[i];
		const char *name;

		section->name = "";
		section->section = elf_getscn(reader->elf, i);
		if (!section->section || !gelf_getshdr(section->section, &section->header))
			return truncated(reader, "its section table cannot be read");
		if (i == 0)
			continue;
		if (section->header.sh_type != SHT_NOBITS && section->header.sh_type != SHT_NULL &&
			(section->header.sh_offset > reader->size ||
				section->header.sh_size > reader->size - section->header.sh_offset))
			return error_set(reader->error, EINVAL,
				"%s: truncated or damaged: section %zu ends beyond the file",
				reader->image->name, i);
		name = elf_strptr(reader->elf, names, section->header.sh_name);
		if (name)
			section->name = name;
		if (!reader->image->has_base && strcmp(section->name, ".stapsdt.base") == 0) {
			reader->image->has_base = true;
			reader->image->base = section->header.sh_addr;
		}
	}
	for (size_t i = 1; i < count; i++) {
		const GElf_Shdr *section = &reader->sections[i].header;

		if ((section->sh_type == SHT_RELA || section->sh_type == SHT_REL) &&
			section->sh_info > 0 && section->sh_info < count)
			reader->relocated_by[section->sh_info] = (uint32_t)i;
	}
	return 0;
}

static int compare_segments(const void *a, const void *b)
{
	const struct image_segment *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static int read_segments(struct image_reader *reader, const GElf_Ehdr *header)
{
	size_t count = 0;

	if (elf_getphdrnum(reader->elf, &count) < 0)
		return truncated(reader, "its program headers cannot be read");
	if (count == 0 || header->e_phoff == 0)
		return 0;
	if (header->e_phoff > reader->size ||
		count > (reader->size - header->e_phoff) / (reader->image->is_64 ? 56 : 32))
		return truncated(reader, "its program headers do not lie in the file");
	reader->segments = calloc(count, sizeof(*reader->segments));
	if (!reader->segments)
		return fail_memory(reader);
	for (size_t i = 0; i < count; i++) {
		GElf_Phdr segment;

		if (!gelf_getphdr(reader->elf, (int)i, &segment))
			return truncated(reader, "its program headers cannot be read");
		if (segment.p_type != PT_LOAD)
			continue;
		reader->segments[reader->segment_count++] = (struct image_segment){segment.p_vaddr,
			segment.p_offset, segment.p_filesz, segment.p_memsz, segment.p_flags};
	}
	qsort(reader->segments, reader->segment_count, sizeof(*reader->segments), compare_segments);
	return 0;
}

/* Finds where an address of a linked image is. */
static void place_address(struct image_reader *reader, uint64_t address, struct usdt_place *place)
{
	const struct image_segment *segment = NULL;
	size_t low = 0, high = reader->segment_count;

	place->is_set = true;
	place->address = address;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (reader->segments[middle].address <= address) {
			segment = &reader->segments[middle];
			low = middle + 1;
		} else {
			high = middle;
		}
	}
	if (!segment || address - segment->address >= segment->memory_size)
		return;
	place->is_mapped = true;
	place->is_executable = segment->flags & PF_X;
	place->is_writable = segment->flags & PF_W;
	if (address - segment->address < segment->file_size) {
		place->offset = segment->offset + (address - segment->address);
		place->has_offset = place->offset < reader->size;
	}
}

/* --- notes --- */

/* Takes the string at *rest and its NUL; NULL if it has no NUL. */
static const char *take_string(const char **rest, const char *end)
{
	const char *begin = *rest;
	const char *zero = begin < end ? memchr(begin, 0, (size_t)(end - begin)) : NULL;

	if (zero)
		*rest = zero + 1;
	return zero ? begin : NULL;
}

/* A probe's name in D. */
static const char *d_name(struct usdt_image *image, const char *note_name)
{
	char *name, *to;

	if (!strstr(note_name, "__"))
		return note_name;
	name = to = image_copy(image, note_name);
	for (const char *from = note_name; name && *from; to++) {
		if (from[0] == '_' && from[1] == '_') {
			*to = '-';
			from += 2;
		} else {
			*to = *from++;
		}
	}
	if (name)
		*to = 0;
	return name;
}

static int read_arguments(struct image_reader *reader, struct usdt_site *site)
{
	struct usdt_image *image = reader->image;
	struct operand_argument arguments[OPERAND_ARGUMENTS_MAX], extra;
	const char *rest = site->arguments_text;
	size_t size;

	while (site->argument_count < OPERAND_ARGUMENTS_MAX &&
		operand_next_argument(image->machine, &rest, &arguments[site->argument_count]))
		site->argument_count++;
	site->has_more_arguments = site->argument_count == OPERAND_ARGUMENTS_MAX &&
		operand_next_argument(image->machine, &rest, &extra);
	size = site->argument_count * sizeof(arguments[0]);
	site->arguments = image_allocate(image, size + 1);
	if (!site->arguments)
		return fail_memory(reader);
	memcpy(site->arguments, arguments, size);
	return 0;
}

/* Finds the places of the site and its semaphore. */
static int locate(struct image_reader *reader, struct usdt_site *site,
	const struct image_relocation *relocations, size_t relocation_count, uint64_t offset,
	uint64_t semaphore)
{
	struct usdt_image *image = reader->image;
	unsigned int size = image->is_64 ? 8 : 4;
	enum usdt_visibility ignored = USDT_VISIBILITY_UNKNOWN;
	const char *symbol = NULL;
	int error;

	if (image->is_relocatable) {
		error = image_relocate(reader, relocations, relocation_count, offset,
			site->recorded_address, &site->code, &symbol, &ignored);
		if (error == 0)
			error = image_relocate(reader, relocations, relocation_count,
				offset + 2 * size, semaphore, &site->semaphore,
				&site->semaphore_symbol, &site->semaphore_visibility);
		if (error < 0)
			return error;
	} else {
		uint64_t moved = 0;

		if (image->has_base && site->recorded_base != 0)
			moved = image->base - site->recorded_base;
		if (!image->is_64)
			moved = (uint32_t)moved;
		place_address(reader,
			image->is_64 ? site->recorded_address + moved
				     : (uint32_t)(site->recorded_address + moved),
			&site->code);
		if (semaphore != 0)
			place_address(reader,
				image->is_64 ? semaphore + moved : (uint32_t)(semaphore + moved),
				&site->semaphore);
	}
	if (site->code.has_offset)
		site->byte_count = (uint8_t)image_bytes(
			reader, site->code.offset, site->bytes, sizeof(site->bytes));
	site->form = site_form(image->machine, site->bytes, site->byte_count);
	return 0;
}

/* Whether a note names no code: neither where it says, nor where its base moves it. */
static bool is_dead(struct image_reader *reader, const struct usdt_site *site)
{
	struct usdt_place recorded = {0};

	if (reader->image->is_relocatable || site->code.is_executable)
		return false;
	place_address(reader, site->recorded_address, &recorded);
	return !recorded.is_executable;
}

static int add_site(struct image_reader *reader, const char *description, size_t size,
	const struct image_relocation *relocations, size_t relocation_count, uint64_t offset,
	size_t *capacity)
{
	struct usdt_image *image = reader->image;
	size_t word = image->is_64 ? 8 : 4;
	const char *rest = description + 3 * word;
	const char *end = description + size;
	struct usdt_site *site;
	uint64_t semaphore;
	int error;

	if (array_room(&image->sites, capacity, image->site_count, sizeof(*site)))
		return fail_memory(reader);
	site = &image->sites[image->site_count];
	memset(site, 0, sizeof(*site));
	site->function = "";
	if (size < 3 * word) {
		image->damaged_count++;
		return 0;
	}
	site->provider = take_string(&rest, end);
	site->note_name = site->provider ? take_string(&rest, end) : NULL;
	site->arguments_text = site->note_name ? take_string(&rest, end) : NULL;
	if (!site->arguments_text || !site->provider[0] || !site->note_name[0]) {
		image->damaged_count++;
		return 0;
	}
	site->name = d_name(image, site->note_name);
	if (!site->name)
		return fail_memory(reader);
	site->recorded_address = number_at(image, (const uint8_t *)description, word);
	site->recorded_base = number_at(image, (const uint8_t *)description + word, word);
	semaphore = number_at(image, (const uint8_t *)description + 2 * word, word);
	error = locate(reader, site, relocations, relocation_count, offset, semaphore);
	if (error == 0 && is_dead(reader, site)) {
		image->dead_count++;
		return 0;
	}
	if (error == 0)
		error = read_arguments(reader, site);
	if (error == 0)
		image->site_count++;
	return error;
}

static int read_note_section(struct image_reader *reader, size_t number, size_t *capacity)
{
	struct usdt_image *image = reader->image;
	struct image_relocation *relocations = NULL;
	size_t relocation_count = 0, size, at = 0;
	const uint8_t *data;
	char *copy;
	int error = image_section_data(reader, number, &data, &size);

	if (error < 0)
		return error;
	copy = image_allocate(image, size + 1);
	if (!copy)
		return fail_memory(reader);
	if (size > 0)
		memcpy(copy, data, size);
	if (image->is_relocatable)
		error = image_relocations(reader, number, &relocations, &relocation_count);
	while (error == 0 && at < size) {
		uint64_t name_size, description_size, type, description, next;

		if (size - at < 12) {
			image->damaged_count += memcmp(copy + at, "\0\0\0", 4) != 0;
			break;
		}
		name_size = number_at(image, (uint8_t *)copy + at, 4);
		description_size = number_at(image, (uint8_t *)copy + at + 4, 4);
		type = number_at(image, (uint8_t *)copy + at + 8, 4);
		description = at + 12 + ((name_size + 3) & ~(uint64_t)3);
		next = description + ((description_size + 3) & ~(uint64_t)3);
		if (description > size || description_size > size - description) {
			image->damaged_count++;
			break;
		}
		if (type == NOTE_TYPE && name_size == 8 &&
			memcmp(copy + at + 12, "stapsdt", 8) == 0)
			error = add_site(reader, copy + description, description_size, relocations,
				relocation_count, description, capacity);
		at = next < size ? (size_t)next : size;
	}
	free(relocations);
	return error;
}

static int read_notes(struct image_reader *reader)
{
	uint64_t total = 0;
	size_t capacity = 0;
	int error = 0;

	for (size_t i = 1; error == 0 && i < reader->section_count; i++) {
		const GElf_Shdr *section = &reader->sections[i].header;

		if (section->sh_type != SHT_NOTE || section->sh_flags & SHF_COMPRESSED)
			continue;
		/* with overlapping sections, work would grow faster than the file */
		total += section->sh_size;
		if (total > reader->size)
			return truncated(reader, "its note sections overlap");
		error = read_note_section(reader, i, &capacity);
	}
	return error;
}

/* --- why there are none --- */

static const struct image_section *find_section(const struct image_reader *reader, const char *name)
{
	for (size_t i = 1; i < reader->section_count; i++)
		if (strcmp(reader->sections[i].name, name) == 0)
			return &reader->sections[i];
	return NULL;
}

/* Keeps the definitions of providers that the file carries, if they can be read. */
static int read_definitions(struct image_reader *reader)
{
	enum { DEFINITIONS_MAX = 4 << 20 };
	const struct image_section *section = find_section(reader, CONTRACT_SECTION);
	const uint8_t *data;
	size_t size;
	char *copy;

	if (!section || section->header.sh_type == SHT_NOBITS ||
		section->header.sh_flags & SHF_COMPRESSED ||
		image_section_data(reader, (size_t)(section - reader->sections), &data, &size) <
			0 ||
		!size || size > DEFINITIONS_MAX)
		return 0;
	copy = image_allocate(reader->image, size + 1);
	if (!copy)
		return fail_memory(reader);
	memcpy(copy, data, size);
	copy[size] = '\0';
	reader->image->definitions = copy;
	reader->image->definitions_size = size;
	return 0;
}

struct contract *usdt_image_contract(const struct usdt_image *image, const char *provider)
{
	for (size_t at = 0; at < image->definitions_size;) {
		const char *text = image->definitions + at;
		struct contract *contract;
		struct error error;
		size_t length = strlen(text);

		if (length && !contract_parse_carried(provider, text, length, &contract, &error)) {
			if (contract_find_provider(contract, provider))
				return contract;
			contract_free(contract);
		}
		at += length + 1;
	}
	return NULL;
}

static const char *explain_absence(const struct image_reader *reader, uint16_t type)
{
	const struct image_section *notes = find_section(reader, ".note.stapsdt");

	if (reader->image->damaged_count > 0)
		return "its probe notes are damaged";
	if (reader->image->dead_count > 0)
		return "its notes name no code: the linker has dropped the functions that fire";
	if (type == ET_CORE)
		return "a core dump has none; list the program that dumped it";
	if (reader->section_count == 0)
		return "its section table has been stripped, and with it the probe notes";
	if (notes && notes->header.sh_type == SHT_NOBITS)
		return "a separate debug file has none; list the program itself";
	if (notes)
		return "its section .note.stapsdt is empty";
	if (find_section(reader, ".stapsdt.base"))
		return "its notes have been removed (by strip, objcopy or the linker): "
		       ".stapsdt.base is there, .note.stapsdt is not";
	if (find_section(reader, ".probes"))
		return "it has semaphores (section .probes) but no notes: no probe is fired in "
		       "it, or the linker dropped them";
	if (find_section(reader, ".SUNW_dof"))
		return "it has probes in DTrace's DOF only, which Linux tracers do not read";
	if (find_section(reader, ".dynamic"))
		return "it was built without probes (no section .note.stapsdt); a library that "
		       "it loads may have some: list a running process to see all";
	return "it was built without probes (no section .note.stapsdt)";
}

/* --- opening --- */

static int read_image(struct image_reader *reader)
{
	struct usdt_image *image = reader->image;
	GElf_Ehdr header;
	int error;

	switch (elf_kind(reader->elf)) {
	case ELF_K_ELF:
		break;
	case ELF_K_AR:
		return error_set(reader->error, ENOEXEC,
			"%s: an archive; name what is linked from it, or its members (ar x)",
			image->name);
	default:
		return error_set(reader->error, ENOEXEC, "%s: not an ELF file", image->name);
	}
	if (!gelf_getehdr(reader->elf, &header))
		return truncated(reader, "its ELF header cannot be read");
	image->machine = header.e_machine;
	image->is_64 = gelf_getclass(reader->elf) == ELFCLASS64;
	image->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	image->is_relocatable = header.e_type == ET_REL;
	error = read_sections(reader, &header);
	if (error == 0)
		error = read_segments(reader, &header);
	if (error == 0)
		error = read_notes(reader);
	if (error == 0)
		error = read_definitions(reader);
	image->has_runtime = error == 0 && find_section(reader, ".note.vmtap");
	if (error == 0 && image->site_count > 0)
		error = image_symbols(reader);
	if (error == 0 && image->site_count == 0)
		image->absence = explain_absence(reader, header.e_type);
	return error;
}

/* Explains what libelf does not: why a file is not an ELF file. */
static int check_magic(struct image_reader *reader)
{
	uint8_t magic[EI_NIDENT] = {0};
	size_t count = image_bytes(reader, 0, magic, sizeof(magic));

	if (reader->size == 0)
		return error_set(reader->error, ENOEXEC, "%s: an empty file", reader->image->name);
	if (count >= 2 && memcmp(magic, "#!", 2) == 0)
		return error_set(reader->error, ENOEXEC,
			"%s: a script; name its interpreter, or the pid that runs it",
			reader->image->name);
	if (count >= SELFMAG && memcmp(magic, ELFMAG, SELFMAG) == 0 &&
		reader->size <
			(magic[EI_CLASS] == ELFCLASS64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr)))
		return truncated(reader, "it ends within its ELF header");
	return 0;
}

static int make_image(struct image_reader *reader, const char *name, struct usdt_image **image,
	struct error *error)
{
	int result;

	reader->error = error;
	*image = NULL;
	reader->image = calloc(1, sizeof(*reader->image));
	if (reader->image)
		reader->image->name = strdup(name);
	if (!reader->image || !reader->image->name) {
		free(reader->image);
		return error_set(error, ENOMEM, "%s: out of memory", name);
	}
	result = check_magic(reader);
	if (result == 0) {
		elf_version(EV_CURRENT);
		reader->elf = elf_begin(reader->file, ELF_C_READ, NULL);
		if (!reader->elf)
			result = error_set(
				error, EINVAL, "%s: cannot be read: %s", name, elf_errmsg(-1));
	}
	if (result == 0)
		result = read_image(reader);
	elf_end(reader->elf);
	free(reader->sections);
	free(reader->segments);
	free(reader->relocated_by);
	if (result < 0)
		usdt_image_free(reader->image);
	else
		*image = reader->image;
	return result;
}

int usdt_image_read(int file, const char *name, struct usdt_image **image, struct error *error)
{
	struct image_reader *reader = NULL;
	struct stat status;
	int result;

	*image = NULL;
	if (fstat(file, &status) < 0)
		return error_set(error, errno, "%s: %m", name);
	if (S_ISDIR(status.st_mode))
		return error_set(error, EISDIR, "%s: a directory", name);
	if (!S_ISREG(status.st_mode))
		return error_set(error, EINVAL, "%s: not a regular file", name);
	reader = calloc(1, sizeof(*reader));
	if (!reader)
		return error_set(error, ENOMEM, "%s: out of memory", name);
	reader->file = file;
	reader->size = (uint64_t)status.st_size;
	result = make_image(reader, name, image, error);
	free(reader);
	return result;
}

int usdt_image_open(
	const char *path, const char *name, struct usdt_image **image, struct error *error)
{
	/* non-blocking in case it is a FIFO */
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int result;

	*image = NULL;
	if (file < 0 && errno == ENXIO) /* the kernel's error for a socket */
		return error_set(error, ENXIO, "%s: not a regular file", name ? name : path);
	if (file < 0)
		return error_set(error, errno, "%s: %m", name ? name : path);
	result = usdt_image_read(file, name ? name : path, image, error);
	close(file);
	return result;
}

void usdt_image_free(struct usdt_image *image)
{
	if (!image)
		return;
	while (image->blocks) {
		struct usdt_block *block = image->blocks;

		image->blocks = block->previous;
		free(block);
	}
	free(image->sites);
	free(image->name);
	free(image);
}

const char *usdt_machine_text(uint16_t machine)
{
	static const struct {
		uint16_t machine;
		const char *text;
	} machines[] = {
		{EM_X86_64, "x86-64"},
		{EM_386, "i386"},
		{EM_AARCH64, "aarch64"},
		{EM_ARM, "arm"},
		{EM_PPC64, "ppc64"},
		{EM_PPC, "ppc"},
		{EM_S390, "s390"},
		{EM_RISCV, "riscv"},
		{EM_MIPS, "mips"},
		{EM_SPARC, "sparc"},
		{EM_SPARCV9, "sparc64"},
		{258, "loongarch"},
	};

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (machines[i].machine == machine)
			return machines[i].text;
	return "unknown machine";
}

int usdt_site_compare(const struct usdt_site *one, const struct usdt_site *other)
{
	int order = strcmp(one->provider, other->provider);

	return order ? order : strcmp(one->name, other->name);
}
