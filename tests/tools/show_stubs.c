/*
 * show_stubs.c: prints the stubs of an ELF file's procedure linkage table by which it calls other
 * files' functions: "1030 read@plt", sorted by address.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "usdt/elf/function.h"

int main(int count, char **words)
{
	struct usdt_functions functions = {0};
	int file = count == 2 ? open(words[1], O_RDONLY | O_CLOEXEC) : -1;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = file >= 0 ? elf_begin(file, ELF_C_READ, NULL) : NULL;
	if (!elf)
		return 2;
	usdt_functions_read(elf, &functions);
	usdt_functions_add_stubs(elf, &functions);
	for (size_t i = 0; i < functions.count; i++) {
		const char *name = functions.texts + functions.functions[i].name;
		uint64_t begin = functions.functions[i].begin, found;

		if (usdt_functions_find(&functions, begin + 5, &found) == name && found == begin &&
			strstr(name, "@plt"))
			printf("%" PRIx64 " %s\n", begin, name);
	}
	usdt_functions_free(&functions);
	elf_end(elf);
	close(file);
	return 0;
}
