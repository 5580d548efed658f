/*
 * compile.c: the front end's door: a compiler for one run, scripts one after the other.
 */
#include "d/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile_clause.h"
#include "d/compile_library.h"
#include "d/lex.h"
#include "d/parse.h"
#include "d/resolve_attribute.h"

int d_compiler_new(const struct d_compile_settings *settings, struct d_compiler **result)
{
	struct d_compiler *compiler = calloc(1, sizeof(*compiler));

	*result = NULL;
	if (!compiler)
		return -ENOMEM;
	compiler->settings = *settings;
	compiler->last_part = D_LAST_NAME;
	if (settings->compile_options)
		compiler->options = *settings->compile_options;
	compiler->names.arena = &compiler->arena;
	compiler->program = calloc(1, sizeof(*compiler->program));
	if (!compiler->program || d_lexer_keywords(&compiler->names) ||
		d_types_init(&compiler->types, &compiler->names, &compiler->arena,
			&compiler->program->options.strsize) ||
		d_symbols_init(compiler)) {
		d_compiler_free(compiler);
		return -ENOMEM;
	}
	if (settings->options)
		compiler->program->options = *settings->options;
	else
		d_options_init(&compiler->program->options);
	*result = compiler;
	return 0;
}

void d_compiler_last_part(struct d_compiler *compiler, enum d_last_part last)
{
	compiler->last_part = last;
}

void d_compiler_free(struct d_compiler *compiler)
{
	if (!compiler)
		return;
	d_program_free(compiler->program);
	d_names_free(&compiler->names);
	arena_free(&compiler->script_arena);
	arena_free(&compiler->arena);
	free(compiler);
}

static void clear_error(struct d_compiler *compiler, struct d_error *error)
{
	if (error)
		memset(error, 0, sizeof(*error));
	compiler->error = error;
}

/* What is left to say about the script as a whole once it is parsed. */
static int check_whole(struct d_compiler *compiler, const struct d_clause_tree *clauses)
{
	const struct d_compile_settings *settings = &compiler->settings;
	size_t count = settings->argument_count;

	if (d_attribute_unclaimed(compiler))
		return -1;
	if (count && !compiler->last_argument_used && !compiler->options.argref)
		return d_fail(compiler, NULL, "D_MACRO_UNUSED",
			"extraneous argument '%s' ($%zu is not referenced)",
			settings->arguments[count - 1], count);
	if (!clauses && !compiler->defines && !compiler->options.empty)
		return d_fail(compiler, NULL, "D_EMPTY", "empty D program translation unit");
	return 0;
}

/* A string program's description: up to its predicate or body, blanks and all, as in DTrace. */
static char *cut_description(const char *text, size_t length)
{
	size_t end = 0;

	while (end < length && text[end] && !strchr("{/;", text[end]))
		end++;
	return strndup(text, end);
}

int d_compile(struct d_compiler *compiler, const char *file, const char *text, size_t length,
	struct d_match *match, struct d_error *error)
{
	struct d_clause_tree *clauses = NULL;
	int result;

	clear_error(compiler, error);
	memset(match, 0, sizeof(*match));
	compiler->failed = false;
	compiler->file = file;
	compiler->region = NULL;
	compiler->matches = 0;
	compiler->destructive = false;
	compiler->expanded = 0;
	compiler->holes = NULL;
	compiler->keep = false;
	compiler->defines = false;
	compiler->last_argument_used = false;
	result = d_library_load(compiler);
	compiler->defines = false;
	d_lexer_start(compiler, text, length < D_SCRIPT_MAX ? length : 0);
	if (!result)
		result = length < D_SCRIPT_MAX
			? d_parse(compiler, &clauses)
			: d_fail(compiler, NULL, "D_SYNTAX", "script is larger than %d MiB",
				  D_SCRIPT_MAX >> 20);
	if (!result)
		result = check_whole(compiler, clauses);
	for (; clauses && !result; clauses = clauses->next)
		result = d_clause_compile(compiler, clauses);
	if (!result) {
		match->is_file = file != NULL;
		match->description = file ? strdup(file) : cut_description(text, length);
		match->probe_count = compiler->matches;
		match->destructive = compiler->destructive;
		if (!match->description)
			result = d_fail_memory(compiler);
	}
	d_attribute_forget(compiler);
	compiler->script++;
	compiler->program->script_count = compiler->script;
	compiler->error = NULL;
	compiler->lexer = (struct d_lexer){0};
	compiler->token = (struct d_token){0};
	arena_free(&compiler->script_arena);
	return result ? -EINVAL : 0;
}

/* Strings take the size that option strsize has in the end. */
static void settle_sizes(struct d_program *program)
{
	uint32_t size = (uint32_t)program->options.strsize;

	for (size_t i = 0; i < program->string_count; i++) {
		struct text *string = &program->strings[i];

		if (string->length > size) {
			((char *)string->bytes)[size] = '\0';
			string->length = size;
			string->hash = text_hash(string->bytes, size);
		}
	}
	for (size_t i = 0; i < program->variable_count; i++) {
		struct d_variable *variable = &program->variables[i];

		if (variable->type.kind == D_VALUE_STRING)
			variable->type.size = size;
		for (unsigned k = 0; k < variable->key_count; k++) {
			if (variable->keys[k].kind == D_VALUE_STRING)
				variable->keys[k].size = size;
		}
	}
	for (size_t i = 0; i < program->aggregation_count; i++) {
		struct d_aggregation *aggregation = &program->aggregations[i];

		for (unsigned k = 0; k < aggregation->key_count; k++) {
			if (aggregation->keys[k].kind == D_VALUE_STRING)
				aggregation->keys[k].size = size;
		}
	}
	for (size_t i = 0; i < program->action_count; i++) {
		for (unsigned k = 0; k < program->actions[i].argument_count; k++) {
			if (program->actions[i].types[k].kind == D_VALUE_STRING)
				program->actions[i].types[k].size = size;
		}
	}
	for (size_t i = 0; i < program->format_count; i++) {
		for (size_t k = 0; k < program->formats[i].count; k++) {
			if (program->formats[i].conversions[k].type.kind == D_VALUE_STRING)
				program->formats[i].conversions[k].type.size = size;
		}
	}
}

int d_compiler_finish(
	struct d_compiler *compiler, struct d_program **program, struct d_error *error)
{
	clear_error(compiler, error);
	*program = compiler->program;
	compiler->program = NULL;
	settle_sizes(*program);
	d_compiler_free(compiler);
	return 0;
}

void d_match_free(struct d_match *match)
{
	free(match->description);
	match->description = NULL;
}
