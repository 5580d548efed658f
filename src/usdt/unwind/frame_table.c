/* frame_table.c: see frame_table.h. */
#include "usdt/unwind/frame_table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum {
	SECTION_MAX = 64 << 20, /* bytes of a section; those of browsers take up to 20 MiB */
	AUGMENTATION_MAX = 16
};

/* How addresses are encoded, as the Linux Standard Base names it. */
enum {
	DW_EH_PE_absptr = 0x00,
	DW_EH_PE_uleb128 = 0x01,
	DW_EH_PE_udata2 = 0x02,
	DW_EH_PE_udata4 = 0x03,
	DW_EH_PE_udata8 = 0x04,
	DW_EH_PE_sleb128 = 0x09,
	DW_EH_PE_sdata2 = 0x0a,
	DW_EH_PE_sdata4 = 0x0b,
	DW_EH_PE_sdata8 = 0x0c,
	DW_EH_PE_format = 0x0f, /* the bits of the above */
	DW_EH_PE_pcrel = 0x10,
	DW_EH_PE_base = 0x70, /* the bits of what the number is relative to */
	DW_EH_PE_omit = 0xff
};

/* A CIE: what several descriptions have in common. */
struct common {
	uint64_t offset;  /* in its section */
	bool has_size;    /* augmentation data begin with their size */
	uint8_t encoding; /* of addresses */
	struct frame_description start;
};

/* One entry of a section, a CIE or a description. */
struct entry {
	uint64_t offset;
	bool is_common;
	uint64_t common; /* offset of its CIE */
	struct frame_bytes rest;
};

static uint64_t offset_of(const struct frame_section *section, const uint8_t *at)
{
	return (uint64_t)(at - section->bytes);
}

/* Reads an entry's head and leaves bytes after the entry; false at the end of the section. */
static bool next_entry(
	const struct frame_section *section, struct frame_bytes *bytes, struct entry *entry)
{
	uint64_t length = 0, id, id_offset;
	size_t width = 4;

	do {
		entry->offset = offset_of(section, bytes->at);
		length = frame_bytes_unsigned(bytes, 4);
	} while (length == 0 && !bytes->is_bad && !section->ends_at_zero);
	if (length == UINT32_MAX) {
		width = 8;
		length = frame_bytes_unsigned(bytes, 8);
	}
	entry->rest = frame_bytes_take(bytes, length);
	id_offset = offset_of(section, entry->rest.at);
	/* In .eh_frame the field has 4 bytes whatever the width of the length. */
	if (!section->is_debug)
		width = 4;
	id = frame_bytes_unsigned(&entry->rest, width);
	entry->is_common = id == (!section->is_debug ? 0 : width == 8 ? UINT64_MAX : UINT32_MAX);
	entry->common = section->is_debug ? id : id_offset - id;
	return length != 0 && !bytes->is_bad && !entry->rest.is_bad;
}

/* An address in one of the encodings that linkers use in these sections. */
static uint64_t read_address(
	const struct frame_section *section, struct frame_bytes *bytes, uint8_t encoding)
{
	uint64_t base = 0;

	switch (encoding & DW_EH_PE_base) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		base = section->address + offset_of(section, bytes->at);
		break;
	default:
		bytes->is_bad = true;
	}
	switch (encoding & DW_EH_PE_format) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return base + frame_bytes_unsigned(bytes, 8);
	case DW_EH_PE_udata2:
		return base + frame_bytes_unsigned(bytes, 2);
	case DW_EH_PE_udata4:
		return base + frame_bytes_unsigned(bytes, 4);
	case DW_EH_PE_sdata2:
		return base + (uint64_t)frame_bytes_signed(bytes, 2);
	case DW_EH_PE_sdata4:
		return base + (uint64_t)frame_bytes_signed(bytes, 4);
	case DW_EH_PE_uleb128:
		return base + frame_bytes_uleb(bytes);
	case DW_EH_PE_sleb128:
		return base + (uint64_t)frame_bytes_sleb(bytes);
	default:
		bytes->is_bad = true;
		return 0;
	}
}

static void skip_personality(const struct frame_section *section, struct frame_bytes *bytes)
{
	uint8_t encoding = (uint8_t)frame_bytes_unsigned(bytes, 1);

	if (encoding != DW_EH_PE_omit)
		read_address(section, bytes, encoding & DW_EH_PE_format);
}

/* Each letter of the augmentation states one field; an unknown one may change anything. */
static bool read_augmentation(const struct frame_section *section, const char *letters,
	struct frame_bytes *bytes, struct common *common)
{
	struct frame_bytes data;

	if (!*letters)
		return true;
	if (*letters++ != 'z')
		return false;
	common->has_size = true;
	data = frame_bytes_take(bytes, frame_bytes_uleb(bytes));
	for (; *letters; letters++) {
		switch (*letters) {
		case 'R':
			common->encoding = (uint8_t)frame_bytes_unsigned(&data, 1);
			break;
		case 'P':
			skip_personality(section, &data);
			break;
		case 'L':
			frame_bytes_unsigned(&data, 1);
			break;
		case 'S':
			common->start.is_signal = true;
			break;
		default:
			return false;
		}
	}
	return !data.is_bad;
}

static bool read_common(
	const struct frame_section *section, const struct entry *entry, struct common *common)
{
	struct frame_bytes bytes = entry->rest;
	char letters[AUGMENTATION_MAX];
	size_t length = 0;
	uint8_t version;

	*common = (struct common){.offset = entry->offset, .encoding = DW_EH_PE_absptr};
	version = (uint8_t)frame_bytes_unsigned(&bytes, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	do {
		letters[length] = (char)frame_bytes_unsigned(&bytes, 1);
	} while (letters[length] && ++length < sizeof(letters));
	if (length == sizeof(letters))
		return false;
	/* the sizes of an address and of a segment's number */
	if (version == 4 &&
		(frame_bytes_unsigned(&bytes, 1) != 8 || frame_bytes_unsigned(&bytes, 1)))
		return false;
	common->start.code_alignment = frame_bytes_uleb(&bytes);
	common->start.data_alignment = frame_bytes_sleb(&bytes);
	common->start.return_register =
		version == 1 ? frame_bytes_unsigned(&bytes, 1) : frame_bytes_uleb(&bytes);
	if (!read_augmentation(section, letters, &bytes, common))
		return false;
	common->start.initial = bytes;
	return !bytes.is_bad;
}

static bool read_entry(const struct frame_section *section, uint64_t offset, struct entry *entry)
{
	struct frame_bytes bytes = {section->bytes, section->bytes + section->size, false};

	frame_bytes_take(&bytes, offset);
	return next_entry(section, &bytes, entry);
}

/* common may hold the CIE of the previous description, which is nearly always the same. */
static bool read_description(const struct frame_section *section, const struct entry *entry,
	struct common *common, struct frame_description *description)
{
	struct frame_bytes bytes = entry->rest;
	struct entry shared;
	uint64_t size;

	if (common->offset != entry->common) {
		bool is_good = read_entry(section, entry->common, &shared) && shared.is_common &&
			read_common(section, &shared, common);
		common->offset = is_good ? entry->common : UINT64_MAX;
	}
	if (common->offset == UINT64_MAX)
		return false;
	*description = common->start;
	description->begin = read_address(section, &bytes, common->encoding);
	size = read_address(section, &bytes, common->encoding & DW_EH_PE_format);
	description->end = description->begin + size;
	if (common->has_size)
		frame_bytes_take(&bytes, frame_bytes_uleb(&bytes));
	description->instructions = bytes;
	return !bytes.is_bad && size && size <= UINT32_MAX && description->end > description->begin;
}

static int compare_entries(const void *a, const void *b)
{
	const struct frame_entry *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

static bool add_entry(struct frame_section *section, const struct frame_entry *entry)
{
	if (array_room(&section->entries, &section->capacity, section->count,
		    sizeof(*section->entries)))
		return false;
	section->entries[section->count++] = *entry;
	return true;
}

static void index_section(struct frame_section *section)
{
	struct frame_bytes bytes = {section->bytes, section->bytes + section->size, false};
	struct common common = {.offset = UINT64_MAX};
	struct frame_description description;
	struct entry entry;

	while (next_entry(section, &bytes, &entry)) {
		if (entry.is_common || !read_description(section, &entry, &common, &description))
			continue;
		/* the linker has removed the code */
		if (!description.begin)
			continue;
		if (!add_entry(section,
			    &(struct frame_entry){description.begin,
				    (uint32_t)(description.end - description.begin),
				    (uint32_t)entry.offset}))
			break;
	}
	if (section->count)
		qsort(section->entries, section->count, sizeof(*section->entries), compare_entries);
}

static void add_section(
	struct frame_table *table, const struct frame_section *form, const Elf_Data *data)
{
	struct frame_section *section = &table->sections[table->section_count];

	*section = *form;
	section->bytes = malloc(data->d_size);
	section->size = data->d_size;
	if (!section->bytes)
		return;
	memcpy(section->bytes, data->d_buf, data->d_size);
	index_section(section);
	table->section_count++;
}

/* The uncompressed content of a section; NULL if there is none or it is too large. */
static Elf_Data *section_data(Elf_Scn *section, GElf_Shdr *header)
{
	GElf_Chdr compressed;
	Elf_Data *data;

	if (header->sh_type == SHT_NOBITS || header->sh_size > SECTION_MAX)
		return NULL;
	if (header->sh_flags & SHF_COMPRESSED) {
		if (!gelf_getchdr(section, &compressed) || compressed.ch_size > SECTION_MAX ||
			elf_compress(section, 0, 0) < 0)
			return NULL;
		data = elf_getdata(section, NULL);
	} else {
		data = elf_rawdata(section, NULL);
	}
	return data && data->d_buf && data->d_size && data->d_size <= SECTION_MAX ? data : NULL;
}

/* Reads the section of that name; returns whether the file has any sections. */
static bool read_named(Elf *elf, const char *name, bool is_debug, struct frame_table *table)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;
	bool any = false;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		const char *found;
		Elf_Data *data;
		any = true;
		if (!gelf_getshdr(section, &header))
			continue;
		found = elf_strptr(elf, names, header.sh_name);
		if (!found || strcmp(found, name) != 0)
			continue;
		data = section_data(section, &header);
		if (data)
			add_section(table,
				&(struct frame_section){
					.is_debug = is_debug, .address = header.sh_addr},
				data);
		break;
	}
	return any;
}

/* The bytes of a loaded file from an address to the end of the segment's part of the file. */
static Elf_Data *loaded_data(Elf *elf, uint64_t address)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		uint64_t from;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD)
			continue;
		from = address - header.p_vaddr;
		if (address < header.p_vaddr || from >= header.p_filesz)
			continue;
		if (header.p_filesz - from > SECTION_MAX)
			return NULL;
		return elf_getdata_rawchunk(
			elf, (int64_t)(header.p_offset + from), header.p_filesz - from, ELF_T_BYTE);
	}
	return NULL;
}

/* Finds .eh_frame by the program header that the language's run time uses. */
static void read_loaded(Elf *elf, struct frame_table *table)
{
	GElf_Phdr header;
	size_t count;

	if (elf_getphdrnum(elf, &count))
		return;
	for (size_t i = 0; i < count; i++) {
		struct frame_section start = {0};
		struct frame_bytes bytes;
		Elf_Data *data;
		uint64_t address;
		uint8_t encoding;
		if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_GNU_EH_FRAME)
			continue;
		data = loaded_data(elf, header.p_vaddr);
		if (!data || data->d_size < 4)
			return;
		start.bytes = data->d_buf;
		start.address = header.p_vaddr;
		bytes = (struct frame_bytes){start.bytes, start.bytes + data->d_size, false};
		frame_bytes_unsigned(&bytes, 1); /* the version */
		encoding = (uint8_t)frame_bytes_unsigned(&bytes, 1);
		frame_bytes_take(&bytes, 2);
		address = read_address(&start, &bytes, encoding);
		data = bytes.is_bad ? NULL : loaded_data(elf, address);
		if (data && data->d_size)
			add_section(table,
				&(struct frame_section){.ends_at_zero = true, .address = address},
				data);
		return;
	}
}

void frame_table_read(Elf *elf, struct frame_table *table)
{
	memset(table, 0, sizeof(*table));
	if (!read_named(elf, ".eh_frame", false, table))
		read_loaded(elf, table);
	read_named(elf, ".debug_frame", true, table);
}

void frame_table_free(struct frame_table *table)
{
	for (size_t i = 0; i < table->section_count; i++) {
		free(table->sections[i].bytes);
		free(table->sections[i].entries);
	}
	memset(table, 0, sizeof(*table));
}

/* NULL if no description covers the address. */
static const struct frame_entry *find_entry(const struct frame_section *section, uint64_t address)
{
	size_t low = 0, high = section->count;
	const struct frame_entry *entry;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (section->entries[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NULL;
	entry = &section->entries[low - 1];
	return address - entry->begin < entry->size ? entry : NULL;
}

bool frame_table_find(
	const struct frame_table *table, uint64_t address, struct frame_description *description)
{
	for (size_t i = 0; i < table->section_count; i++) {
		const struct frame_section *section = &table->sections[i];
		const struct frame_entry *found = find_entry(section, address);
		struct common common = {.offset = UINT64_MAX};
		struct entry entry;
		if (found && read_entry(section, found->offset, &entry) &&
			read_description(section, &entry, &common, description))
			return true;
	}
	return false;
}
