/*
 * debug_file.h: finds the file into which a distribution has moved the symbols of a program or
 * library: by its build ID, or by the name in its .gnu_debuglink.
 */
#ifndef VMTAP_USDT_ELF_DEBUG_FILE_H
#define VMTAP_USDT_ELF_DEBUG_FILE_H

#include <libelf.h>

#define DEBUG_FILE_FOLDER "/usr/lib/debug"

/*
 * Opens the debug file of the ELF file whose path is given, searching the path's own folder and
 * `folder`. A file is only taken if its build ID, or else its checksum, is the one wanted.
 * Returns a descriptor, or -ENOENT if there is none.
 */
int debug_file_open(Elf *elf, const char *path, const char *folder);

#endif
