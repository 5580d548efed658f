/*
 * site_names.c: see site_names.h. The result of each comparison is one number; sites whose numbers
 * are equal share a program.
 */
#include "kernel/capture/site_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "program/probe.h"
#include "source/request.h"

bool kernel_names_has(enum d_builtin which)
{
	return which == D_BUILTIN_PROBEPROV || which == D_BUILTIN_PROBEMOD ||
		which == D_BUILTIN_PROBEFUNC || which == D_BUILTIN_PROBENAME;
}

static unsigned place_of(enum d_builtin which)
{
	switch (which) {
	case D_BUILTIN_PROBEPROV:
		return 0;
	case D_BUILTIN_PROBEMOD:
		return 1;
	case D_BUILTIN_PROBEFUNC:
		return 2;
	default:
		return 3;
	}
}

int kernel_names_compare(const struct kernel_names *names, enum d_builtin which,
	const struct text *literal, uint64_t limit)
{
	const char *name = names->names[place_of(which)];
	size_t length = name ? strlen(name) : 0, other = literal->length;
	int order;

	length = length < limit ? length : (size_t)limit;
	other = other < limit ? other : (size_t)limit;
	order = memcmp(name ? name : "", literal->bytes, length < other ? length : other);
	if (!order)
		return (length > other) - (length < other);
	return order < 0 ? -1 : 1;
}

static size_t instruction_count(const struct d_clause *clause)
{
	return clause->predicate_count + clause->code_count;
}

static const struct d_instruction *instruction(const struct d_clause *clause, size_t number)
{
	return number < clause->predicate_count ? &clause->predicate[number]
						: &clause->code[number - clause->predicate_count];
}

/* Adds the orders of a name to all literals of the clause. */
static int add_orders(struct kernel_names *names, const struct d_program *program,
	const struct d_clause *clause, enum d_builtin which)
{
	for (size_t i = 0; i < instruction_count(clause); i++) {
		const struct d_instruction *at = instruction(clause, i);

		if (at->opcode != D_OP_STRING)
			continue;
		if (array_room(&names->orders, &names->capacity, names->order_count, 1))
			return -ENOMEM;
		names->orders[names->order_count++] = (signed char)kernel_names_compare(
			names, which, &program->strings[at->immediate], program->options.strsize);
	}
	return 0;
}

static bool compares(const struct d_clause *clause)
{
	for (size_t i = 0; i < instruction_count(clause); i++)
		if (instruction(clause, i)->opcode == D_OP_COMPARE)
			return true;
	return false;
}

int kernel_names_make(struct kernel_names *names, const struct d_program *program,
	const struct source_want *wants, size_t count, const struct d_probe *probe)
{
	const char *const texts[KERNEL_NAMES] = {
		probe->provider, probe->module, probe->function, probe->name};
	int result = 0;

	*names = (struct kernel_names){0};
	for (unsigned i = 0; i < KERNEL_NAMES && !result; i++) {
		names->names[i] = strdup(texts[i] ? texts[i] : "");
		result = names->names[i] ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < count && !result; i++) {
		const struct d_clause *clause = &program->clauses[wants[i].clause];

		for (size_t j = 0; j < instruction_count(clause) && compares(clause) && !result;
			j++) {
			const struct d_instruction *at = instruction(clause, j);
			enum d_builtin which = (enum d_builtin)at->immediate;

			if (at->opcode == D_OP_BUILTIN && kernel_names_has(which))
				result = add_orders(names, program, clause, which);
		}
	}
	return result;
}

void kernel_names_free(struct kernel_names *names)
{
	for (unsigned i = 0; i < KERNEL_NAMES; i++)
		free(names->names[i]);
	free(names->orders);
	*names = (struct kernel_names){0};
}

bool kernel_names_agree(const struct kernel_names *one, const struct kernel_names *other)
{
	return one->order_count == other->order_count &&
		(!one->order_count || !memcmp(one->orders, other->orders, one->order_count));
}
