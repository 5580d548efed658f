/*
 * relocation.c: the places that the notes of a relocatable object refer to. Before linking,
 * a note's address fields are zero, or a part of the address, and the section's relocations
 * say which symbol belongs there.
 *
 * Only the symbol and the addend are used: every field of a note is an absolute address, so
 * the kind of relocation adds nothing.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "usdt/elf/image_private.h"

static int compare_relocations(const void *a, const void *b)
{
	const struct image_relocation *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

int image_relocations(struct image_reader *reader, size_t section,
	struct image_relocation **relocations, size_t *count)
{
	uint32_t number = reader->relocated_by[section];
	const GElf_Shdr *header;
	Elf_Data *data;
	size_t entries;

	*relocations = NULL;
	*count = 0;
	if (number == 0)
		return 0;
	header = &reader->sections[number].header;
	data = elf_getdata(reader->sections[number].section, NULL);
	if (!data || header->sh_entsize == 0 || header->sh_link >= reader->section_count)
		return error_set(reader->error, EINVAL,
			"%s: truncated or damaged: relocations in section %u cannot be read",
			reader->image->name, number);
	entries = data->d_size / header->sh_entsize;
	*relocations = calloc(entries + 1, sizeof(**relocations));
	if (!*relocations)
		return error_set(reader->error, ENOMEM, "%s: out of memory", reader->image->name);
	for (size_t i = 0; i < entries; i++) {
		struct image_relocation *relocation = &(*relocations)[*count];
		GElf_Rela with;
		GElf_Rel without;

		if (header->sh_type == SHT_RELA) {
			if (!gelf_getrela(data, (int)i, &with))
				continue;
			relocation->offset = with.r_offset;
			relocation->symbol = (uint32_t)GELF_R_SYM(with.r_info);
			relocation->has_addend = true;
			relocation->addend = with.r_addend;
		} else {
			if (!gelf_getrel(data, (int)i, &without))
				continue;
			relocation->offset = without.r_offset;
			relocation->symbol = (uint32_t)GELF_R_SYM(without.r_info);
		}
		relocation->symbol_table = header->sh_link;
		++*count;
	}
	qsort(*relocations, *count, sizeof(**relocations), compare_relocations);
	return 0;
}

/* Makes "symbol+0x10", in the image's memory. */
static const char *describe(struct image_reader *reader, const char *symbol, uint64_t addend)
{
	char text[512];
	int64_t distance = (int64_t)addend;

	if (!reader->image->is_64)
		distance = (int32_t)addend;
	if (distance == 0)
		snprintf(text, sizeof(text), "%s", symbol);
	else if (distance < 0)
		snprintf(text, sizeof(text), "%s-0x%llx", symbol,
			(unsigned long long)(-(uint64_t)distance));
	else
		snprintf(text, sizeof(text), "%s+0x%llx", symbol, (unsigned long long)distance);
	return image_copy(reader->image, text);
}

int image_relocate(struct image_reader *reader, const struct image_relocation *relocations,
	size_t count, uint64_t offset, uint64_t in_place, struct usdt_place *place,
	const char **symbol, enum usdt_visibility *visibility)
{
	const struct image_relocation wanted = {.offset = offset};
	const struct image_relocation *relocation = count == 0
		? NULL
		: bsearch(&wanted, relocations, count, sizeof(wanted), compare_relocations);
	const struct image_section *table, *section;
	const char *name = NULL;
	uint64_t addend;
	Elf_Data *data;
	GElf_Sym entry;

	place->address = in_place;
	place->is_set = in_place != 0;
	if (!relocation)
		return 0;
	table = &reader->sections[relocation->symbol_table];
	data = elf_getdata(table->section, NULL);
	if (!data || !gelf_getsym(data, (int)relocation->symbol, &entry))
		return error_set(reader->error, EINVAL,
			"%s: truncated or damaged: a note's relocation names symbol %u, which is "
			"not there",
			reader->image->name, relocation->symbol);
	addend = relocation->has_addend ? (uint64_t)relocation->addend : in_place;
	section = entry.st_shndx != SHN_UNDEF && entry.st_shndx < reader->section_count
		? &reader->sections[entry.st_shndx]
		: NULL;
	if (GELF_ST_TYPE(entry.st_info) == STT_SECTION && section)
		name = section->name;
	else
		name = elf_strptr(reader->elf, table->header.sh_link, entry.st_name);
	if (!name)
		name = "";
	place->is_set = true;
	place->relocation = describe(reader, name, addend);
	place->address = entry.st_value + addend;
	if (GELF_ST_TYPE(entry.st_info) != STT_SECTION) {
		*symbol = image_copy(reader->image, name);
		if (section)
			*visibility = GELF_ST_BIND(entry.st_info) == STB_LOCAL ||
					GELF_ST_VISIBILITY(entry.st_other) == STV_HIDDEN ||
					GELF_ST_VISIBILITY(entry.st_other) == STV_INTERNAL
				? USDT_VISIBILITY_LOCAL
				: USDT_VISIBILITY_GLOBAL;
	}
	if (!place->relocation)
		return error_set(reader->error, ENOMEM, "%s: out of memory", reader->image->name);
	if (!section || place->address >= section->header.sh_size)
		return 0;
	place->section = entry.st_shndx;
	place->is_mapped = section->header.sh_flags & SHF_ALLOC;
	place->is_executable = section->header.sh_flags & SHF_EXECINSTR;
	place->is_writable = section->header.sh_flags & SHF_WRITE;
	if (section->header.sh_type != SHT_NOBITS) {
		place->has_offset = true;
		place->offset = section->header.sh_offset + place->address;
	}
	return 0;
}
