/* symbol_value.c: see symbol_value.h. */
#include "usdt/elf/symbol_value.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>

/* Looks through one table; found counts the addresses, up to 2. */
static void search(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *name,
	size_t length, uint64_t *value, unsigned *found)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	for (size_t i = 0; data && i < count && *found < 2; i++) {
		GElf_Sym symbol;
		const char *text;

		if (!gelf_getsym(data, (int)i, &symbol) || symbol.st_shndx == SHN_UNDEF)
			continue;
		text = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!text || strncmp(text, name, length) || text[length])
			continue;
		if (!*found || symbol.st_value != *value)
			++*found;
		*value = symbol.st_value;
	}
}

/* Looks through the full table and then, unless that has it, the dynamic one; or only the latter.
 */
static int find_value(int file, const char *name, size_t length, bool is_exported, uint64_t *value)
{
	unsigned found = 0;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	for (int pass = is_exported; elf && pass < 2 && !found; pass++)
		while ((section = elf_nextscn(elf, section)))
			if (gelf_getshdr(section, &header) &&
				header.sh_type == (pass ? SHT_DYNSYM : SHT_SYMTAB))
				search(elf, section, &header, name, length, value, &found);
	elf_end(elf);
	return found == 1 ? 0 : found ? -EEXIST : -ENOENT;
}

int usdt_symbol_value(int file, const char *name, size_t length, uint64_t *value)
{
	return find_value(file, name, length, false, value);
}

int usdt_symbol_exported(int file, const char *name, size_t length, uint64_t *value)
{
	return find_value(file, name, length, true, value);
}
