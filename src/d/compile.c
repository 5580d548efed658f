/*
 * compile.c: the front end's interface: a compiler for one run. compile_unit.c decides how far
 * scripts are compiled, and when.
 */
#include "d/compile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile_library.h"
#include "d/compile_unit.h"
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
	compiler->probe_set = &compiler->own_probes;
	if (!compiler->program || d_probe_set_init(&compiler->own_probes) ||
		d_lexer_keywords(&compiler->names) ||
		d_types_init(&compiler->types, &compiler->names, &compiler->arena,
			&compiler->program->options.strsize) ||
		d_symbols_init(compiler)) {
		d_compiler_free(compiler);
		return -ENOMEM;
	}
	compiler->types.kernel = settings->kernel_types;
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
	d_library_free(compiler);
	d_probe_set_free(&compiler->own_probes);
	d_names_free(&compiler->names);
	arena_free(&compiler->arena);
	free(compiler->asked);
	free(compiler->chain);
	free(compiler);
}

/* Errors from now on are reported in error. */
static void begin(struct d_compiler *compiler, struct d_error *error)
{
	memset(error, 0, sizeof(*error));
	compiler->error = error;
	compiler->failed = false;
}

int d_compiler_libraries(struct d_compiler *compiler, bool *waits, struct d_error *error)
{
	int result;

	begin(compiler, error);
	result = d_library_read(compiler);
	*waits = !result && d_library_waits(compiler);
	compiler->error = NULL;
	return result ? -EINVAL : 0;
}

static int parse(struct d_compiler *compiler, struct d_unit *unit)
{
	struct d_clause_tree *clauses = NULL;

	compiler->defines = false;
	compiler->last_argument_used = false;
	if (unit->length >= D_SCRIPT_MAX) {
		unit->length = 0;
		return d_fail(compiler, NULL, "D_SYNTAX", "script is larger than %d MiB",
			D_SCRIPT_MAX >> 20);
	}
	if (d_parse(compiler, &clauses) || d_attribute_unclaimed(compiler))
		return -1;
	return d_unit_read(compiler, unit, clauses);
}

int d_parse_script(struct d_compiler *compiler, const char *file, const char *text, size_t length,
	struct d_error *error)
{
	struct d_unit *unit = NULL;
	int result = 0;

	begin(compiler, error);
	if (!d_library_load(compiler))
		unit = d_unit_new(compiler, file, text, length);
	if (!unit) {
		result = -EINVAL;
	} else if (parse(compiler, unit)) {
		d_unit_drop(compiler, unit);
		result = -EINVAL;
	} else if (d_units_compile(compiler)) {
		compiler->current = NULL; /* it is not tried again */
		result = -EINVAL;
	}
	compiler->error = NULL;
	return result;
}

const struct d_asks *d_compiler_asks(const struct d_compiler *compiler)
{
	return &compiler->asks;
}

void d_compiler_set_target(struct d_compiler *compiler, pid_t target)
{
	compiler->settings.target = target;
}

void d_compiler_wait(struct d_compiler *compiler)
{
	compiler->settings.waits = true;
}

void d_compiler_wait_for_programs(struct d_compiler *compiler)
{
	compiler->settings.waits = compiler->settings.waits_for_programs = true;
}

int d_compiler_carry(struct d_compiler *compiler, const struct d_carried *carried, size_t count,
	const struct d_probe_set *probes, size_t *wrong, struct d_error *error)
{
	int result = 0;

	begin(compiler, error);
	result = d_library_load(compiler);
	*wrong = 0;
	for (size_t i = 0; i < count && !result; i++) {
		result = d_library_carry(compiler, &carried[i], probes);
		if (result)
			*wrong = i + 1;
	}
	compiler->error = NULL;
	compiler->failed = false;
	return result ? -EINVAL : 0;
}

int d_compiler_set_probes(
	struct d_compiler *compiler, struct d_probe_set *probes, struct d_error *error)
{
	int result;

	begin(compiler, error);
	result = d_units_settle(compiler, probes) || d_library_settle(compiler) ||
			d_units_compile(compiler)
		? -EINVAL
		: 0;
	compiler->error = NULL;
	return result;
}

/* Sets the size of strings to the final value of option strsize. */
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

struct d_program *d_compiler_finish(struct d_compiler *compiler)
{
	struct d_program *program = compiler->program;

	compiler->program = NULL;
	settle_sizes(program);
	d_compiler_free(compiler);
	return program;
}
