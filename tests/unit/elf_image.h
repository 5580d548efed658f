/*
 * elf_image.h: builds ELF images, so that tests can have any machine, class and byte order,
 * and can break one promise at a time. An image has:
 *     .text            0x1000    executable: 16 bytes of nops for each site
 *     .probes          0x100000  writable: a 2-byte semaphore for each site
 *     .stapsdt.base    0x200000
 *     .note.stapsdt, .symtab (a function and a semaphore for each site)
 * In a relocatable object, notes contain no addresses; .rela.note.stapsdt (.rel. for 32
 * bits) has them, relative to the sections.
 */
#ifndef VMTAP_TESTS_ELF_IMAGE_H
#define VMTAP_TESTS_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "usdt/elf/image.h"

enum {
	ELF_IMAGE_TEXT = 0x1000,
	ELF_IMAGE_DATA = 0x100000,
	ELF_IMAGE_BASE = 0x200000,
	ELF_IMAGE_SLOT = 16 /* bytes of .text for a site */
};

struct elf_image_site {
	const char *provider, *name, *arguments;
	const char *code; /* its bytes; NULL: a nop and a 10-byte nop */
	unsigned int code_size;
	bool no_semaphore;
	uint64_t address, base, semaphore; /* in the note; 0: the correct value */
	bool zero_base;
	bool global_semaphore; /* its symbol */
};

struct elf_image_options {
	uint16_t machine; /* 0: EM_X86_64 */
	bool is_32, is_big_endian, is_relocatable;
	bool no_base;    /* no .stapsdt.base section */
	bool no_notes;   /* no .note.stapsdt section */
	bool no_symbols; /* no .symtab */
	bool no_text_permission, readonly_data, executable_data;
};

struct elf_image {
	uint8_t *bytes;
	size_t size, capacity;
	bool is_32, is_big_endian;
};

static inline void elf_image_put(struct elf_image *image, const void *bytes, size_t size)
{
	if (image->size + size > image->capacity) {
		image->capacity = (image->size + size) * 2;
		image->bytes = realloc(image->bytes, image->capacity);
	}
	if (size > 0 && bytes)
		memcpy(image->bytes + image->size, bytes, size);
	else
		memset(image->bytes + image->size, 0, size);
	image->size += size;
}

static inline void elf_image_number(struct elf_image *image, uint64_t number, unsigned int size)
{
	uint8_t bytes[8];

	for (unsigned int i = 0; i < size; i++)
		bytes[image->is_big_endian ? size - 1 - i : i] = (uint8_t)(number >> (8 * i));
	elf_image_put(image, bytes, size);
}

/* An address-sized number. */
static inline void elf_image_word(struct elf_image *image, uint64_t number)
{
	elf_image_number(image, number, image->is_32 ? 4 : 8);
}

static inline void elf_image_align(struct elf_image *image, size_t alignment)
{
	while (image->size % alignment)
		elf_image_put(image, NULL, 1);
}

struct elf_image_section {
	const char *name;
	uint32_t type;
	uint64_t flags, address, offset, size;
	uint32_t link, info;
	uint64_t entry_size;
};

static inline void elf_image_symbol(struct elf_image *image, uint32_t name, uint64_t value,
	uint64_t size, uint8_t info, uint8_t other, uint16_t section)
{
	elf_image_number(image, name, 4);
	if (image->is_32) {
		elf_image_word(image, value);
		elf_image_word(image, size);
	}
	elf_image_number(image, info, 1);
	elf_image_number(image, other, 1);
	elf_image_number(image, section, 2);
	if (!image->is_32) {
		elf_image_word(image, value);
		elf_image_word(image, size);
	}
}

/* Section numbers of the image. */
enum {
	ELF_TEXT = 1,
	ELF_PROBES,
	ELF_BASE,
	ELF_NOTES,
	ELF_RELOCATIONS,
	ELF_SYMBOLS,
	ELF_STRINGS,
	ELF_NAMES,
	ELF_SECTIONS
};

static inline void elf_image_notes(struct elf_image *image, const struct elf_image_options *options,
	const struct elf_image_site *sites, size_t count, uint64_t *field_offsets)
{
	size_t begin = image->size;

	for (size_t i = 0; i < count; i++) {
		const struct elf_image_site *site = &sites[i];
		const char *arguments = site->arguments ? site->arguments : "";
		size_t word = image->is_32 ? 4 : 8;
		uint64_t address = ELF_IMAGE_TEXT + i * ELF_IMAGE_SLOT;
		uint64_t semaphore = ELF_IMAGE_DATA + i * 2;

		elf_image_number(image, 8, 4);
		elf_image_number(image,
			3 * word + strlen(site->provider) + strlen(site->name) + strlen(arguments) +
				3,
			4);
		elf_image_number(image, 3, 4);
		elf_image_put(image, "stapsdt", 8);
		field_offsets[i] = image->size - begin;
		if (options->is_relocatable) {
			/* if the relocations have no addends, they are stored here */
			elf_image_word(image, image->is_32 ? i * ELF_IMAGE_SLOT : 0);
			elf_image_word(image, 0);
			elf_image_word(image, image->is_32 && !site->no_semaphore ? i * 2 : 0);
		} else {
			elf_image_word(image, site->address ? site->address : address);
			elf_image_word(image,
				site->zero_base      ? 0
					: site->base ? site->base
						     : ELF_IMAGE_BASE);
			elf_image_word(image,
				site->no_semaphore        ? 0
					: site->semaphore ? site->semaphore
							  : semaphore);
		}
		elf_image_put(image, site->provider, strlen(site->provider) + 1);
		elf_image_put(image, site->name, strlen(site->name) + 1);
		elf_image_put(image, arguments, strlen(arguments) + 1);
		elf_image_align(image, 4);
	}
}

static inline void elf_image_relocation(
	struct elf_image *image, uint64_t offset, uint32_t symbol, uint64_t addend)
{
	elf_image_word(image, offset);
	elf_image_word(
		image, image->is_32 ? ELF32_R_INFO(symbol, 1) : ELF64_R_INFO((uint64_t)symbol, 1));
	if (!image->is_32)
		elf_image_word(image, addend);
}

static inline void elf_image_headers(struct elf_image *image,
	const struct elf_image_options *options, const struct elf_image_section *sections,
	size_t section_count)
{
	struct elf_image header = {.is_32 = image->is_32, .is_big_endian = image->is_big_endian};
	uint8_t identity[EI_NIDENT] = {0x7f, 'E', 'L', 'F', image->is_32 ? ELFCLASS32 : ELFCLASS64,
		image->is_big_endian ? ELFDATA2MSB : ELFDATA2LSB, EV_CURRENT};
	struct {
		const struct elf_image_section *section;
		uint32_t flags;
	} segments[] = {{&sections[ELF_TEXT], options->no_text_permission ? PF_R : PF_R | PF_X},
		{&sections[ELF_PROBES],
			PF_R | (options->readonly_data ? 0u : PF_W) |
				(options->executable_data ? PF_X : 0u)}};
	size_t table;

	elf_image_align(image, 8);
	table = image->size;
	for (size_t i = 0; i < section_count; i++) {
		elf_image_number(image, sections[i].info >> 16, 4); /* the name's offset */
		elf_image_number(image, sections[i].type, 4);
		elf_image_word(image, sections[i].flags);
		elf_image_word(image, options->is_relocatable ? 0 : sections[i].address);
		elf_image_word(image, sections[i].offset);
		elf_image_word(image, sections[i].size);
		elf_image_number(image, sections[i].link, 4);
		elf_image_number(image, sections[i].info & 0xffff, 4);
		elf_image_word(image, 1);
		elf_image_word(image, sections[i].entry_size);
	}
	elf_image_put(&header, identity, sizeof(identity));
	elf_image_number(&header, options->is_relocatable ? ET_REL : ET_DYN, 2);
	elf_image_number(&header, options->machine ? options->machine : EM_X86_64, 2);
	elf_image_number(&header, 1, 4);
	elf_image_word(&header, 0);
	elf_image_word(&header, options->is_relocatable ? 0 : image->is_32 ? 52 : 64);
	elf_image_word(&header, table);
	elf_image_number(&header, 0, 4);
	elf_image_number(&header, image->is_32 ? 52 : 64, 2);
	elf_image_number(&header, options->is_relocatable ? 0 : image->is_32 ? 32 : 56, 2);
	elf_image_number(&header, options->is_relocatable ? 0 : 2, 2);
	elf_image_number(&header, image->is_32 ? 40 : 64, 2);
	elf_image_number(&header, section_count, 2);
	elf_image_number(&header, ELF_NAMES, 2);
	for (int i = 0; i < 2; i++) {
		const struct elf_image_section *section = segments[i].section;

		elf_image_number(&header, PT_LOAD, 4);
		if (!image->is_32)
			elf_image_number(&header, segments[i].flags, 4);
		elf_image_word(&header, section->offset);
		elf_image_word(&header, section->address);
		elf_image_word(&header, section->address);
		elf_image_word(&header, section->size);
		elf_image_word(&header, section->size);
		if (image->is_32)
			elf_image_number(&header, segments[i].flags, 4);
		elf_image_word(&header, 1);
	}
	memcpy(image->bytes, header.bytes, header.size);
	free(header.bytes);
}

/* Builds an image; the caller frees its bytes. At most 60000 sites. */
static inline struct elf_image elf_image_make(
	const struct elf_image_options *options, const struct elf_image_site *sites, size_t count)
{
	static const char safe[] = "\x90\x66\x2e\x0f\x1f\x84\x00\x00\x00\x00\x00";
	struct elf_image image = {.is_32 = options->is_32, .is_big_endian = options->is_big_endian};
	struct elf_image_section sections[ELF_SECTIONS] = {
		{.name = ""},
		{".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, ELF_IMAGE_TEXT, 0, 0, 0, 0, 0},
		{".probes", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, ELF_IMAGE_DATA, 0, 0, 0, 0, 0},
		{options->no_base ? ".nothing" : ".stapsdt.base", SHT_PROGBITS, SHF_ALLOC,
			ELF_IMAGE_BASE, 0, 0, 0, 0, 0},
		{options->no_notes ? ".comment" : ".note.stapsdt",
			options->no_notes ? SHT_PROGBITS : SHT_NOTE, 0, 0, 0, 0, 0, 0, 0},
		{".rela.note.stapsdt",
			!options->is_relocatable ? SHT_PROGBITS
				: options->is_32 ? SHT_REL
						 : SHT_RELA,
			0, 0, 0, 0, ELF_SYMBOLS, ELF_NOTES, options->is_32 ? 8 : 24},
		{".symtab", options->no_symbols ? SHT_PROGBITS : SHT_SYMTAB, 0, 0, 0, 0,
			ELF_STRINGS, 1, options->is_32 ? 16 : 24},
		{".strtab", SHT_STRTAB, 0, 0, 0, 0, 0, 0, 0},
		{".shstrtab", SHT_STRTAB, 0, 0, 0, 0, 0, 0, 0},
	};
	struct elf_image strings = {0};
	uint64_t *fields = calloc(count + 1, sizeof(*fields));

#define ELF_BEGIN(number) (elf_image_align(&image, 8), sections[number].offset = image.size)
#define ELF_END(number) (sections[number].size = image.size - sections[number].offset)
	elf_image_put(&image, NULL, 256); /* the headers */
	ELF_BEGIN(ELF_TEXT);
	for (size_t i = 0; i < count; i++) {
		const char *code = sites[i].code ? sites[i].code : safe;
		unsigned int size = sites[i].code ? sites[i].code_size : 11;

		elf_image_put(&image, code, size);
		elf_image_put(&image, NULL, ELF_IMAGE_SLOT - size);
	}
	ELF_END(ELF_TEXT);
	ELF_BEGIN(ELF_PROBES);
	elf_image_put(&image, NULL, count * 2);
	ELF_END(ELF_PROBES);
	ELF_BEGIN(ELF_BASE);
	elf_image_put(&image, NULL, 1);
	ELF_END(ELF_BASE);
	ELF_BEGIN(ELF_NOTES);
	elf_image_notes(&image, options, sites, count, fields);
	ELF_END(ELF_NOTES);
	ELF_BEGIN(ELF_RELOCATIONS);
	for (size_t i = 0; options->is_relocatable && i < count; i++) {
		size_t word = image.is_32 ? 4 : 8;

		elf_image_relocation(&image, fields[i], 1, i * ELF_IMAGE_SLOT);
		if (!sites[i].no_semaphore)
			elf_image_relocation(&image, fields[i] + 2 * word, 2, i * 2);
	}
	ELF_END(ELF_RELOCATIONS);
	ELF_BEGIN(ELF_SYMBOLS);
	elf_image_put(&strings, "", 1);
	elf_image_symbol(&image, 0, 0, 0, 0, 0, 0);
	elf_image_symbol(&image, 0, 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_SECTION), 0, ELF_TEXT);
	elf_image_symbol(&image, 0, 0, 0, ELF32_ST_INFO(STB_LOCAL, STT_SECTION), 0, ELF_PROBES);
	for (size_t i = 0; i < count; i++) {
		uint64_t text = (options->is_relocatable ? 0 : ELF_IMAGE_TEXT) + i * ELF_IMAGE_SLOT;
		uint64_t data = (options->is_relocatable ? 0 : ELF_IMAGE_DATA) + i * 2;
		char name[300];

		elf_image_symbol(&image, (uint32_t)strings.size, text, ELF_IMAGE_SLOT,
			ELF32_ST_INFO(STB_GLOBAL, STT_FUNC), STV_DEFAULT, ELF_TEXT);
		snprintf(name, sizeof(name), "fire_%s", sites[i].name);
		elf_image_put(&strings, name, strlen(name) + 1);
		elf_image_symbol(&image, (uint32_t)strings.size, data, 2,
			ELF32_ST_INFO(STB_GLOBAL, STT_OBJECT),
			sites[i].global_semaphore ? STV_DEFAULT : STV_HIDDEN, ELF_PROBES);
		snprintf(name, sizeof(name), "%s_%s_semaphore", sites[i].provider, sites[i].name);
		elf_image_put(&strings, name, strlen(name) + 1);
	}
	ELF_END(ELF_SYMBOLS);
	ELF_BEGIN(ELF_STRINGS);
	elf_image_put(&image, strings.bytes, strings.size);
	ELF_END(ELF_STRINGS);
	ELF_BEGIN(ELF_NAMES);
	for (int i = 0; i < ELF_SECTIONS; i++) {
		sections[i].info |= (uint32_t)(image.size - sections[ELF_NAMES].offset) << 16;
		elf_image_put(&image, sections[i].name, strlen(sections[i].name) + 1);
	}
	ELF_END(ELF_NAMES);
#undef ELF_BEGIN
#undef ELF_END
	elf_image_headers(&image, options, sections, ELF_SECTIONS);
	free(strings.bytes);
	free(fields);
	/* Exactly its size, so that AddressSanitizer sees what is read beyond its end. */
	image.bytes = realloc(image.bytes, image.size);
	image.capacity = image.size;
	return image;
}

/* usdt_image_read() of a file with these bytes. */
static inline int elf_image_read(const void *bytes, size_t size, const char *name,
	struct usdt_image **image, struct error *error)
{
	int file = memfd_create(name, MFD_CLOEXEC), result;

	if (file < 0 || write(file, bytes, size) != (ssize_t)size)
		abort();
	result = usdt_image_read(file, name, image, error);
	close(file);
	return result;
}

#endif
