/*
 * program_match.c: finds the clauses of a compiled program that a new probe enables
 * (d_program_match() in compile.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/pattern.h"
#include "d/compile.h"

/* Splits "provider:module:function:name" in place. False: it is a number. */
static bool split(char *text, const char *parts[4])
{
	for (unsigned i = 0; i < 4; i++) {
		char *colon = strchr(text, ':');

		parts[i] = text;
		if (i == 3)
			return true;
		if (!colon)
			return false;
		*colon = '\0';
		text = colon + 1;
	}
	return true;
}

static bool matches(char *description, const struct d_probe *probe)
{
	const char *parts[4];

	return split(description, parts) && pattern_match(parts[3], probe->name) &&
		pattern_match(parts[0], probe->provider) &&
		d_probe_matches_function(probe, parts[2]) &&
		d_probe_matches_module(probe, parts[1]);
}

/* Whether args[] of the new probe are those of the known one, and perhaps more. */
static bool extends(const struct d_probe *probe, const struct d_probe *known)
{
	if (probe->argument_count < known->argument_count)
		return false;
	for (unsigned i = 0; i < known->argument_count; i++)
		if (strcmp(probe->arguments[i].type, known->arguments[i].type) != 0)
			return false;
	return true;
}

int d_program_match(const struct d_program *program, const struct d_probe_set *set,
	const struct d_probe *probe, uint32_t number, struct d_enablings *list, bool *differs)
{
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];
		char *description = strdup(clause->description);
		bool is_match = description && matches(description, probe);

		free(description);
		if (!description)
			return -ENOMEM;
		if (!is_match)
			continue;
		if (clause->uses_arguments && d_clause_probes(clause) &&
			!extends(probe, &set->probes[clause->probes[0]])) {
			*differs = true;
			continue;
		}
		if (array_room(&list->items, &list->room, list->count, sizeof(*list->items)))
			return -ENOMEM;
		list->items[list->count++] =
			(struct d_enabling){.probe = number, .clause = (uint32_t)i};
	}
	return 0;
}
