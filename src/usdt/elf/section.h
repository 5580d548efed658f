/*
 * section.h: finds a section of an ELF file by its name.
 */
#ifndef VMTAP_USDT_ELF_SECTION_H
#define VMTAP_USDT_ELF_SECTION_H

#include <gelf.h>

/* Returns the first section of that name, and its header; NULL if there is none. */
Elf_Scn *elf_section_find(Elf *elf, const char *name, GElf_Shdr *header);

#endif
