/* kernel_symbol.c: see kernel_symbol.h. */
#include "usdt/elf/kernel_symbol.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_READ = 512 };

struct kernel_symbol_search {
	const char *module, *name;
	struct kernel_symbol *symbol;
	enum kernel_symbol_state state;
	bool lists_variables;
};

/* Reads a line of the file; returns whether it is the symbol that is searched for. */
static bool take_line(struct kernel_symbol_search *search, const char *line)
{
	char name[NAME_MAX_READ], module[NAME_MAX_READ] = "vmlinux", type;
	uint64_t address;

	if (sscanf(line, "%" SCNx64 " %c %511s [%511[^]]]", &address, &type, name, module) < 3)
		return false;
	search->lists_variables |= type == 'd' || type == 'b';
	if (strcmp(name, search->name) != 0 ||
		(*search->module && strcmp(module, search->module) != 0))
		return false;
	*search->symbol = (struct kernel_symbol){address, strchr("tTwW", type) != NULL};
	search->state = address ? KERNEL_SYMBOL_FOUND : KERNEL_SYMBOL_HIDDEN;
	return true;
}

enum kernel_symbol_state kernel_symbol_find(
	const char *path, const char *module, const char *name, struct kernel_symbol *symbol)
{
	struct kernel_symbol_search search = {
		.module = module, .name = name, .symbol = symbol, .state = KERNEL_SYMBOL_UNKNOWN};
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	char *line = NULL;

	if (!file)
		return KERNEL_SYMBOL_HIDDEN;
	while (getline(&line, &capacity, file) > 0 && !take_line(&search, line))
		;
	free(line);
	fclose(file);
	return search.state == KERNEL_SYMBOL_UNKNOWN && !search.lists_variables
		? KERNEL_SYMBOL_NOT_LISTED
		: search.state;
}
