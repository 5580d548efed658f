/* imports.c: see imports.h. */
#include "usdt/elf/imports.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(name, *names))
			return true;
	return false;
}

/* Returns whether the symbols of a section import one of the names. */
static bool section_imports(
	Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *const *names)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;

	for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
		const char *name = symbol.st_shndx == SHN_UNDEF
			? elf_strptr(elf, header->sh_link, symbol.st_name)
			: NULL;

		if (name && is_one_of(name, names))
			return true;
	}
	return false;
}

int usdt_imports(const char *path, const char *const *names)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), result = -1;
	struct stat status;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf *elf = NULL;

	if (file >= 0 && !fstat(file, &status) && S_ISREG(status.st_mode) &&
		elf_version(EV_CURRENT) != EV_NONE)
		elf = elf_begin(file, ELF_C_READ, NULL);
	while (elf && result < 1 && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			result = section_imports(elf, section, &header, names);
	elf_end(elf);
	if (file >= 0)
		close(file);
	return result;
}
