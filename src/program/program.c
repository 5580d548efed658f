/*
 * program.c: the end of a program's life, and the table of subroutines.
 */
#include "program/program.h"

#include <stdlib.h>
#include <string.h>

const struct d_subroutine_form d_subroutines[D_SUBROUTINES] = {
	[D_SUBROUTINE_COPYINSTR] = {"copyinstr", 1, 2, 0, true},
	[D_SUBROUTINE_STRINGOF] = {"stringof", 1, 1, 0, true},
	[D_SUBROUTINE_STRJOIN] = {"strjoin", 2, 2, 3, true},
	[D_SUBROUTINE_STRLEN] = {"strlen", 1, 1, 1, false},
	[D_SUBROUTINE_STRCHR] = {"strchr", 2, 2, 1, true},
	[D_SUBROUTINE_STRRCHR] = {"strrchr", 2, 2, 1, true},
	[D_SUBROUTINE_STRSTR] = {"strstr", 2, 2, 3, true},
	[D_SUBROUTINE_INDEX] = {"index", 2, 3, 3, false},
	[D_SUBROUTINE_RINDEX] = {"rindex", 2, 3, 3, false},
	[D_SUBROUTINE_SUBSTR] = {"substr", 2, 3, 1, true},
	[D_SUBROUTINE_STRTOK] = {"strtok", 2, 2, 3, true},
	[D_SUBROUTINE_STRTOK_NEXT] = {"strtok_next", 1, 1, 1, true},
	[D_SUBROUTINE_TOUPPER] = {"toupper", 1, 1, 1, true},
	[D_SUBROUTINE_TOLOWER] = {"tolower", 1, 1, 1, true},
	[D_SUBROUTINE_BASENAME] = {"basename", 1, 1, 1, true},
	[D_SUBROUTINE_DIRNAME] = {"dirname", 1, 1, 1, true},
	[D_SUBROUTINE_CLEANPATH] = {"cleanpath", 1, 1, 1, true},
	[D_SUBROUTINE_LLTOSTR] = {"lltostr", 1, 2, 0, true},
	[D_SUBROUTINE_STRTOLL] = {"strtoll", 1, 2, 1, false},
	[D_SUBROUTINE_CHARACTER] = {"character", 2, 2, 1, false},
	[D_SUBROUTINE_SWAP16] = {"swap16", 1, 1, 0, false},
	[D_SUBROUTINE_SWAP32] = {"swap32", 1, 1, 0, false},
	[D_SUBROUTINE_SWAP64] = {"swap64", 1, 1, 0, false},
	[D_SUBROUTINE_JSON] = {"json", 2, 2, 3, true},
	[D_SUBROUTINE_RAND] = {"rand", 0, 0, 0, false},
	[D_SUBROUTINE_PROGENYOF] = {"progenyof", 1, 1, 0, false},
	[D_SUBROUTINE_GETMAJOR] = {"getmajor", 1, 1, 0, false},
	[D_SUBROUTINE_INET_NTOA] = {"inet_ntoa", 1, 1, 0, true},
	[D_SUBROUTINE_INET_NTOA6] = {"inet_ntoa6", 1, 2, 0, true},
	[D_SUBROUTINE_INET_NTOP] = {"inet_ntop", 2, 2, 0, true},
	[D_SUBROUTINE_LINK_NTOP] = {"link_ntop", 2, 2, 0, true},
	[D_SUBROUTINE_LOCK] = {"lock", 1, 1, 0, false},
	[D_SUBROUTINE_KERNEL] = {"kernel", 1, 1, 0, false},
	[D_SUBROUTINE_KERNEL_TEXT] = {"kernel_text", 1, 2, 0, true},
	[D_SUBROUTINE_GETMINOR] = {"getminor", 1, 1, 0, false},
	[D_SUBROUTINE_ALLOCA] = {"alloca", 1, 1, 0, false},
	[D_SUBROUTINE_BLOCK] = {"block", 1, 1, 0, false},
	[D_SUBROUTINE_COPYIN] = {"copyin", 2, 2, 0, false},
	[D_SUBROUTINE_COPYINTO] = {"copyinto", 3, 3, 0, false},
	[D_SUBROUTINE_BCOPY] = {"bcopy", 3, 3, 0, false},
	[D_SUBROUTINE_MEMREF] = {"memref", 2, 2, 0, false},
	[D_SUBROUTINE_MEMSTR] = {"memstr", 3, 3, 0, true},
	[D_SUBROUTINE_COPYOUT] = {"copyout", 3, 3, 0, false},
	[D_SUBROUTINE_COPYOUTSTR] = {"copyoutstr", 3, 3, 1, false},
	[D_SUBROUTINE_SPECULATION] = {"speculation", 0, 0, 0, false},
};

void d_program_free(struct d_program *program)
{
	if (!program)
		return;
	for (size_t i = 0; i < program->string_count; i++)
		free((char *)program->strings[i].bytes);
	for (size_t i = 0; i < program->variable_count; i++)
		free(program->variables[i].name);
	for (size_t i = 0; i < program->aggregation_count; i++)
		free(program->aggregations[i].name);
	for (size_t i = 0; i < program->format_count; i++)
		d_format_free(&program->formats[i]);
	for (size_t i = 0; i < program->layout_count; i++)
		d_layout_free(&program->layouts[i]);
	for (size_t i = 0; i < program->action_count; i++) {
		free(program->actions[i].types);
		free(program->actions[i].aggregations);
	}
	for (size_t i = 0; i < program->clause_count; i++) {
		free(program->clauses[i].predicate);
		free(program->clauses[i].code);
		free(program->clauses[i].probes);
		free(program->clauses[i].description);
	}
	d_needs_free(&program->needs);
	free(program->integers);
	free(program->strings);
	free(program->variables);
	free(program->aggregations);
	free(program->formats);
	free(program->layouts);
	free(program->actions);
	free(program->clauses);
	free(program);
}

void d_format_free(struct d_format *format)
{
	for (size_t i = 0; i < format->count; i++)
		free((char *)format->conversions[i].before.bytes);
	free(format->conversions);
	memset(format, 0, sizeof(*format));
}
