/* compile_unit.c: see compile_unit.h. */
#include "d/compile_unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/check_provider.h"
#include "d/compile_clause.h"
#include "d/lex.h"
#include "d/resolve_ahead.h"
#include "d/resolve_dependency.h"
#include "d/resolve_description.h"

#define SEPARATOR ", "

enum { ALL_DESCRIPTIONS_MAX = 512 };

/*
 * A string program's description: the text up to its predicate or body, including blanks, as in
 * DTrace.
 */
static char *cut_description(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && text[end] && !strchr("{/;", text[end]))
		end++;
	return strndup(text, end);
}

static int add_script(struct d_compiler *compiler, const struct d_unit *unit)
{
	struct d_program *program = compiler->program;
	struct d_script *script;

	if (array_room(&program->scripts, &compiler->script_capacity, program->script_count,
		    sizeof(*program->scripts)))
		return d_fail_memory(compiler);
	script = &program->scripts[program->script_count];
	*script = (struct d_script){.is_file = unit->file != NULL,
		.name = unit->file ? strdup(unit->file)
				   : cut_description(unit->text, unit->length)};
	if (!script->name)
		return d_fail_memory(compiler);
	program->script_count++;
	return 0;
}

/* Makes the unit the one that the compiler is at. */
static void enter(struct d_compiler *compiler, const struct d_unit *unit)
{
	compiler->script = unit->number;
	compiler->file = unit->file;
	compiler->program->options = unit->options;
	compiler->options = unit->compile_options;
	compiler->region = NULL;
	compiler->expanded = unit->expanded;
	d_lexer_start(compiler, unit->text, unit->length);
}

struct d_unit *d_unit_new(
	struct d_compiler *compiler, const char *file, const char *text, size_t length)
{
	struct d_unit *last = compiler->last_unit, *unit = d_get(compiler, sizeof(*unit));

	if (!unit)
		return NULL;
	unit->before = last;
	unit->number = last ? last->number + 1 : 0;
	unit->file = file;
	unit->text = text;
	unit->length = length;
	unit->options = last ? last->options : compiler->program->options;
	unit->compile_options = last ? last->compile_options : compiler->options;
	*(last ? &last->next : &compiler->units) = unit;
	compiler->last_unit = unit;
	if (!compiler->current)
		compiler->current = unit;
	enter(compiler, unit);
	return add_script(compiler, unit) ? NULL : unit;
}

void d_unit_drop(struct d_compiler *compiler, struct d_unit *unit)
{
	*(unit->before ? &unit->before->next : &compiler->units) = NULL;
	compiler->last_unit = unit->before;
	if (compiler->current == unit)
		compiler->current = NULL;
}

/* False without memory. */
static bool add_asked(struct d_compiler *compiler, const struct d_unit *unit,
	const struct d_description *description)
{
	struct d_asks *asks = &compiler->asks;

	if (!description->parts[0]) /* it is a number */
		return true;
	if (array_room(&compiler->asked, &compiler->asked_capacity, asks->description_count,
		    sizeof(*compiler->asked)))
		return false;
	compiler->asked[asks->description_count++] = (struct d_asked){description->parts[0],
		description->parts[1], description->parts[2], description->parts[3],
		unit->compile_options.anydefs};
	asks->descriptions = compiler->asked;
	return true;
}

/* Notes what the unit needs besides the engine's own probes. */
static int ask(struct d_compiler *compiler, const struct d_unit *unit)
{
	struct d_asks *asks = &compiler->asks;

	asks->zdefs = unit->compile_options.zdefs;
	for (struct d_clause_tree *clause = unit->clauses; clause; clause = clause->next) {
		for (struct d_description *description = clause->descriptions; description;
			description = description->next) {
			if (d_description_find_own(compiler, description))
				return -1;
			if (description->is_own)
				continue;
			/*
			 * With zdefs the description may match nothing, so it does not determine a
			 * process.
			 */
			if (!compiler->has_asked && !asks->zdefs)
				asks->process = d_description_process(description);
			if (!add_asked(compiler, unit, description))
				return d_fail_memory(compiler);
			compiler->has_asked = asks->source = true;
			asks->any |= d_description_is_any(description, asks->zdefs);
		}
	}
	asks->source |= unit->dependencies != NULL;
	return 0;
}

/* The remaining checks of a script as a whole. */
static int check_whole(struct d_compiler *compiler, const struct d_unit *unit)
{
	const struct d_compile_settings *settings = &compiler->settings;
	size_t count = settings->argument_count;

	if (count && !unit->uses_last_argument && !unit->compile_options.argref)
		return d_fail(compiler, NULL, "D_MACRO_UNUSED",
			"extraneous argument '%s' ($%zu is not referenced)",
			settings->arguments[count - 1], count);
	if (!unit->clauses && !unit->defines && !unit->compile_options.empty)
		return d_fail(compiler, NULL, "D_EMPTY", "empty D program translation unit");
	return 0;
}

int d_unit_read(struct d_compiler *compiler, struct d_unit *unit, struct d_clause_tree *clauses)
{
	unit->options = compiler->program->options;
	unit->compile_options = compiler->options;
	unit->expanded = compiler->expanded;
	unit->defines = compiler->defines;
	unit->uses_last_argument = compiler->last_argument_used;
	unit->pragmas = compiler->pragmas;
	compiler->pragmas = NULL;
	unit->clauses = unit->clause = clauses;
	unit->description = clauses ? clauses->descriptions : NULL;
	if (!unit->dependencies && check_whole(compiler, unit))
		return -1;
	return compiler->is_settled ? 0 : ask(compiler, unit);
}

bool d_unit_is_ahead(const struct d_compiler *compiler)
{
	return compiler->current != compiler->last_unit;
}

/* Moves to the next description, or to the next clause. */
static void advance(struct d_unit *unit)
{
	if (unit->description)
		unit->description = unit->description->next;
	if (unit->description)
		return;
	unit->clause = unit->clause->next;
	unit->description = unit->clause ? unit->clause->descriptions : NULL;
}

/* Starts compiling the unit, whose turn has come. */
static int begin(struct d_compiler *compiler, struct d_unit *unit)
{
	if (unit->begun)
		return 0;
	unit->begun = true;
	if (unit->dependencies &&
		(d_dependencies_check(compiler, unit->dependencies) || check_whole(compiler, unit)))
		return -1;
	return d_ahead_check(compiler, unit);
}

/* Whether a description is one of those in a text, which are separated by SEPARATOR. */
static bool is_listed(const char *text, const char *description)
{
	size_t length = strlen(description);

	for (const char *at = text; *at; at += strcspn(at, ",")) {
		at += strspn(at, SEPARATOR);
		if (!strncmp(at, description, length) && (!at[length] || at[length] == ','))
			return true;
	}
	return false;
}

/* Adds a description to a text of several, unless it is there; "..." if there is no room. */
static void append(char text[ALL_DESCRIPTIONS_MAX], const char *description)
{
	size_t length = strlen(text);
	bool fits = length + strlen(SEPARATOR) + strlen(description) + sizeof(SEPARATOR "...") <=
		ALL_DESCRIPTIONS_MAX;
	const char *added = fits ? description : "...";

	if (!is_listed(text, description) && !is_listed(text, "..."))
		snprintf(text + length, ALL_DESCRIPTIONS_MAX - length, "%s%s",
			length ? SEPARATOR : "", added);
}

/* With option anydefs: fails unless a description of the unit has matched a probe of a source. */
static int check_any(struct d_compiler *compiler, const struct d_unit *unit)
{
	const struct d_program *program = compiler->program;
	char text[ALL_DESCRIPTIONS_MAX] = "";

	if (!unit->compile_options.anydefs || compiler->settings.waits)
		return 0;
	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];

		if (clause->script != unit->number)
			continue;
		if (!d_clause_probes(clause))
			append(text, clause->description);
		else if (compiler->probe_set->probes[clause->probes[0]].kind == D_PROBE_SOURCE)
			return 0;
	}
	if (!*text)
		return 0;
	return d_fail(compiler, NULL, "D_PDESC_ZERO",
		"no probe description of the script matches any probes: %s", text);
}

/* Compiles the unit up to its end, or to the first clause that must wait. */
static int compile(struct d_compiler *compiler, struct d_unit *unit)
{
	int result;

	enter(compiler, unit);
	if (unit->dependencies && !compiler->is_settled)
		return 0;
	result = begin(compiler, unit);
	while (unit->clause && !result) {
		if (unit->clause->provider)
			result = d_provider_check(compiler, unit->clause->provider);
		else if (compiler->is_settled || unit->description->is_own)
			result = d_clause_compile(compiler, unit->clause, unit->description);
		else
			break;
		if (!result)
			advance(unit);
	}
	unit->expanded = compiler->expanded;
	if (!result && !unit->clause && compiler->is_settled)
		result = check_any(compiler, unit);
	return result;
}

int d_units_compile(struct d_compiler *compiler)
{
	int result = 0;

	while (compiler->current && !result) {
		struct d_unit *unit = compiler->current;

		result = compile(compiler, unit);
		if (unit->clause || !unit->begun)
			break;
		compiler->current = unit->next;
	}
	return result;
}

/*
 * Enables what has been compiled of a unit on its probes; *clause is its first clause in the
 * program.
 */
static int settle(struct d_compiler *compiler, const struct d_unit *unit, struct d_clause **clause)
{
	int result = 0;

	enter(compiler, unit);
	for (const struct d_clause_tree *tree = unit->clauses; tree && !result; tree = tree->next) {
		const struct d_description *description = tree->descriptions;
		const struct d_description *end = tree == unit->clause ? unit->description : NULL;

		if (tree == unit->clause && tree->provider)
			break;
		if (tree->provider)
			result = d_provider_check_known(compiler, tree->provider);
		for (; description != end && !result; description = description->next)
			result = d_clause_enable(compiler, tree, description, clause);
		if (tree == unit->clause)
			break;
	}
	return result;
}

int d_units_settle(struct d_compiler *compiler, struct d_probe_set *probes)
{
	struct d_clause *clause = compiler->program->clauses;
	int result = 0;

	compiler->probe_set = probes;
	compiler->is_settled = true;
	for (const struct d_unit *unit = compiler->units; unit && !result; unit = unit->next)
		if (unit->begun)
			result = settle(compiler, unit, &clause);
	return result;
}
