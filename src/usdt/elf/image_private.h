/*
 * image_private.h: what the parts of the image reader share: image.c (file, segments,
 * notes), relocation.c (addresses of relocatable objects) and symbol.c (functions and
 * semaphores by name). Only these include it.
 */
#ifndef VMTAP_USDT_ELF_IMAGE_PRIVATE_H
#define VMTAP_USDT_ELF_IMAGE_PRIVATE_H

#include <gelf.h>

#include "usdt/elf/image.h"

struct image_segment {
	uint64_t address, offset, file_size, memory_size;
	uint32_t flags;
};

struct image_section {
	Elf_Scn *section;
	GElf_Shdr header;
	const char *name;
};

struct image_reader {
	struct usdt_image *image;
	Elf *elf;
	int file;
	uint64_t size;
	size_t segment_count, section_count;
	struct image_segment *segments; /* PT_LOAD segments, by address */
	struct image_section *sections; /* by number; [0] is unused */
	uint32_t *relocated_by;         /* by section: the section with its relocations, or 0 */
	uint64_t window_offset;         /* the piece of the file last read for the bytes of sites */
	size_t window_size;
	uint8_t window[16384];
	struct error *error;
};

/* The copy lives as long as the image; NULL if memory runs out. */
char *image_copy(struct usdt_image *image, const char *text);

/* Finds the section's bytes as they are in the file. 0, or a negative errno with error set. */
int image_section_data(
	struct image_reader *reader, size_t number, const uint8_t **data, size_t *size);

/* One relocation of a note section. */
struct image_relocation {
	uint64_t offset; /* in the note section */
	uint32_t symbol;
	uint32_t symbol_table; /* section number */
	bool has_addend;       /* otherwise the addend is stored in the place itself */
	int64_t addend;
};

/* The relocations of a section, sorted by offset; the caller frees *relocations. */
int image_relocations(struct image_reader *reader, size_t section,
	struct image_relocation **relocations, size_t *count);

/*
 * Fills a place of a relocatable object from the relocation at offset, if there is one;
 * in_place is the number stored at that offset.
 */
int image_relocate(struct image_reader *reader, const struct image_relocation *relocations,
	size_t count, uint64_t offset, uint64_t in_place, struct usdt_place *place,
	const char **symbol, enum usdt_visibility *visibility);

/* Finds the sites' functions and their semaphores' visibility. */
int image_symbols(struct image_reader *reader);

#endif
