/*
 * resolve_symbol.c: D's own functions and built-in variables, and the creation of variables.
 */
#include "d/resolve_symbol.h"

#include "d/resolve_attribute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT "string"
#define MANY D_FUNCTION_ANY_COUNT

#define SUBROUTINE(number, name, function, need, least, most, result, ...)                         \
	{name, D_FUNCTION_SUBROUTINE, D_SUBROUTINE_##number, least, most, result, {__VA_ARGS__}},
#define SKIP(...)

static const struct d_function functions[] = {
	{"trace", D_FUNCTION_ACTION, D_ACTION_TRACE, 1, 1, NULL, {NULL}},
	{"tracemem", D_FUNCTION_ACTION, D_ACTION_TRACEMEM, 2, 3, NULL, {NULL, "size_t", "size_t"}},
	{"print", D_FUNCTION_ACTION, D_ACTION_PRINT, 1, 1, NULL, {"void *"}},
	{"printf", D_FUNCTION_ACTION, D_ACTION_PRINTF, 1, MANY, NULL, {TEXT}},
	{"printa", D_FUNCTION_ACTION, D_ACTION_PRINTA, 1, MANY, NULL, {NULL}},
	{"exit", D_FUNCTION_ACTION, D_ACTION_EXIT, 1, 1, NULL, {"int"}},
	{"clear", D_FUNCTION_ACTION, D_ACTION_CLEAR, 1, 1, NULL, {NULL}},
	{"trunc", D_FUNCTION_ACTION, D_ACTION_TRUNC, 1, 2, NULL, {NULL, "long"}},
	{"normalize", D_FUNCTION_ACTION, D_ACTION_NORMALIZE, 2, 2, NULL, {NULL, "uint64_t"}},
	{"denormalize", D_FUNCTION_ACTION, D_ACTION_DENORMALIZE, 1, 1, NULL, {NULL}},
	{"speculate", D_FUNCTION_ACTION, D_ACTION_SPECULATE, 1, 1, NULL, {"int"}},
	{"commit", D_FUNCTION_ACTION, D_ACTION_COMMIT, 1, 1, NULL, {"int"}},
	{"discard", D_FUNCTION_ACTION, D_ACTION_DISCARD, 1, 1, NULL, {"int"}},
	{"system", D_FUNCTION_ACTION, D_ACTION_SYSTEM, 1, MANY, NULL, {NULL}},
	{"freopen", D_FUNCTION_ACTION, D_ACTION_FREOPEN, 1, MANY, NULL, {NULL}},
	{"ftruncate", D_FUNCTION_ACTION, D_ACTION_FTRUNCATE, 0, 0, NULL, {NULL}},
	{"raise", D_FUNCTION_ACTION, D_ACTION_RAISE, 1, 1, NULL, {"int"}},
	{"stop", D_FUNCTION_ACTION, D_ACTION_STOP, 0, 0, NULL, {NULL}},
	{"chill", D_FUNCTION_ACTION, D_ACTION_CHILL, 1, 1, NULL, {"int"}},
	{"panic", D_FUNCTION_ACTION, D_ACTION_PANIC, 0, 0, NULL, {NULL}},
	{"pcap", D_FUNCTION_ACTION, D_ACTION_PCAP, 2, 2, NULL, {"void *", "int"}},
	{"breakpoint", D_FUNCTION_ACTION, D_ACTION_BREAKPOINT, 0, 0, NULL, {NULL}},
	{"setopt", D_FUNCTION_ACTION, D_ACTION_SETOPT, 1, 2, NULL, {TEXT, TEXT}},
	{"stack", D_FUNCTION_ACTION, D_STACK_KERNEL, 0, 1, NULL, {"uint32_t"}},
	{"ustack", D_FUNCTION_ACTION, D_STACK_USER, 0, 2, NULL, {"uint32_t", "uint32_t"}},
	{"jstack", D_FUNCTION_ACTION, D_STACK_JAVA, 0, 2, NULL, {"uint32_t", "uint32_t"}},
	{"sym", D_FUNCTION_ACTION, D_STACK_SYM, 1, 1, NULL, {"uintptr_t"}},
	{"func", D_FUNCTION_ACTION, D_STACK_FUNC, 1, 1, NULL, {"uintptr_t"}},
	{"mod", D_FUNCTION_ACTION, D_STACK_MOD, 1, 1, NULL, {"uintptr_t"}},
	{"usym", D_FUNCTION_ACTION, D_STACK_USYM, 1, 1, NULL, {"uintptr_t"}},
	{"ufunc", D_FUNCTION_ACTION, D_STACK_UFUNC, 1, 1, NULL, {"uintptr_t"}},
	{"umod", D_FUNCTION_ACTION, D_STACK_UMOD, 1, 1, NULL, {"uintptr_t"}},
	{"uaddr", D_FUNCTION_ACTION, D_STACK_UADDR, 1, 1, NULL, {"uintptr_t"}},

	{"count", D_FUNCTION_AGGREGATING, D_AGGREGATE_COUNT, 0, 0, NULL, {NULL}},
	{"sum", D_FUNCTION_AGGREGATING, D_AGGREGATE_SUM, 1, 1, NULL, {NULL}},
	{"min", D_FUNCTION_AGGREGATING, D_AGGREGATE_MIN, 1, 1, NULL, {NULL}},
	{"max", D_FUNCTION_AGGREGATING, D_AGGREGATE_MAX, 1, 1, NULL, {NULL}},
	{"avg", D_FUNCTION_AGGREGATING, D_AGGREGATE_AVG, 1, 1, NULL, {NULL}},
	{"stddev", D_FUNCTION_AGGREGATING, D_AGGREGATE_STDDEV, 1, 1, NULL, {NULL}},
	{"quantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_QUANTIZE, 1, 2, NULL, {NULL}},
	{"lquantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_LQUANTIZE, 3, 5, NULL,
		{NULL, "int32_t", "int32_t"}},
	{"llquantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_LLQUANTIZE, 5, 6, NULL,
		{NULL, "int32_t", "int32_t", "int32_t", "int32_t"}},

	D_SUBROUTINE_ROWS(SUBROUTINE, SKIP)};

bool d_function_is_stack(const struct d_function *function)
{
	return function->kind == D_FUNCTION_ACTION && function->id >= D_STACK_KERNEL;
}

enum d_value_kind d_function_stack_kind(const struct d_function *function)
{
	static const enum d_value_kind kinds[] = {[D_STACK_KERNEL - D_STACK_KERNEL] = D_VALUE_STACK,
		[D_STACK_USER - D_STACK_KERNEL] = D_VALUE_STACK,
		[D_STACK_JAVA - D_STACK_KERNEL] = D_VALUE_GUEST_STACK,
		[D_STACK_SYM - D_STACK_KERNEL] = D_VALUE_SYMBOL,
		[D_STACK_FUNC - D_STACK_KERNEL] = D_VALUE_SYMBOL,
		[D_STACK_MOD - D_STACK_KERNEL] = D_VALUE_MODULE,
		[D_STACK_USYM - D_STACK_KERNEL] = D_VALUE_USER_SYMBOL,
		[D_STACK_UFUNC - D_STACK_KERNEL] = D_VALUE_USER_SYMBOL,
		[D_STACK_UMOD - D_STACK_KERNEL] = D_VALUE_USER_MODULE,
		[D_STACK_UADDR - D_STACK_KERNEL] = D_VALUE_USER_ADDRESS};

	return kinds[function->id - D_STACK_KERNEL];
}

static void enter(
	struct d_compiler *compiler, struct d_identifier *identifier, enum d_name_space space)
{
	struct d_name *name = identifier->name;

	identifier->number = ++compiler->identifier_count;
	identifier->other = name->identifiers[space];
	name->identifiers[space] = identifier;
}

static struct d_identifier *add_identifier(struct d_compiler *compiler, const char *text,
	size_t length, enum d_identifier_kind kind, const char *type)
{
	struct d_name *name = d_names_get(&compiler->names, text, length);
	struct d_identifier *identifier = arena_get(&compiler->arena, sizeof(*identifier));

	if (!name || !identifier)
		return NULL;
	identifier->kind = kind;
	identifier->name = name;
	identifier->script = D_SCRIPT_BUILTIN;
	identifier->stability = stability_stable;
	identifier->type = type ? d_types_parse(&compiler->types, type) : compiler->types.type_void;
	enter(compiler, identifier, D_SPACE_GLOBAL);
	return identifier;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int d_symbols_init(struct d_compiler *compiler)
{
	struct d_identifier *identifier;
	char argument[] = "arg0";

	for (size_t i = 0; i < COUNT(functions); i++) {
		identifier = add_identifier(compiler, functions[i].name, strlen(functions[i].name),
			D_IDENTIFIER_FUNCTION, NULL);
		if (!identifier)
			return -ENOMEM;
		identifier->function = &functions[i];
	}
	for (unsigned i = 0; i < D_BUILTINS; i++) {
		identifier = add_identifier(compiler, d_builtins[i].name,
			strlen(d_builtins[i].name),
			i == D_BUILTIN_UREGS ? D_IDENTIFIER_REGISTERS : D_IDENTIFIER_BUILTIN,
			d_builtins[i].type);
		if (!identifier)
			return -ENOMEM;
		identifier->index = i;
	}
	for (unsigned i = 0; i < 10; i++) {
		argument[3] = (char)('0' + i);
		identifier =
			add_identifier(compiler, argument, 4, D_IDENTIFIER_ARGUMENT, "int64_t");
		if (!identifier)
			return -ENOMEM;
		identifier->index = i;
	}
	if (!add_identifier(compiler, "args", 4, D_IDENTIFIER_ARGUMENTS, NULL))
		return -ENOMEM;
	d_attributes_init(compiler);
	return 0;
}

bool d_symbol_is_known(const struct d_compiler *compiler, uint32_t script)
{
	return script >= D_SCRIPT_LIBRARY || script <= compiler->script;
}

/*
 * Each script has its own this-> variables; of the others it sees its own and those of earlier
 * scripts.
 */
static bool is_visible(const struct d_compiler *compiler, const struct d_identifier *identifier,
	enum d_name_space space)
{
	if (identifier->script == compiler->script)
		return !compiler->identifiers_known ||
			identifier->number <= compiler->identifiers_known;
	return space != D_SPACE_THIS && d_symbol_is_known(compiler, identifier->script);
}

struct d_identifier *d_symbol_meaning(
	const struct d_compiler *compiler, const struct d_name *name, enum d_name_space space)
{
	struct d_identifier *identifier = name->identifiers[space];

	while (identifier && !is_visible(compiler, identifier, space))
		identifier = identifier->other;
	return identifier;
}

struct d_identifier *d_symbol_find(
	struct d_compiler *compiler, const struct d_name *name, enum d_name_space space)
{
	struct d_identifier *identifier = d_symbol_meaning(compiler, name, space);

	if (identifier && compiler->options.version &&
		identifier->version > compiler->options.version)
		return NULL;
	return identifier;
}

const struct d_identifier *d_symbol_find_earlier(
	const struct d_name *name, enum d_name_space space, uint32_t script)
{
	const struct d_identifier *identifier = name->identifiers[space];

	while (identifier && identifier->script >= script)
		identifier = identifier->other;
	return identifier;
}

void d_symbol_remove(struct d_identifier *identifier, enum d_name_space space)
{
	struct d_identifier **link = &identifier->name->identifiers[space];

	while (*link != identifier)
		link = &(*link)->other;
	*link = identifier->other;
}

int d_symbol_keys(struct d_compiler *compiler, struct d_identifier *identifier,
	const struct d_type *const *keys, unsigned key_count)
{
	const struct d_type **copy;

	if (!key_count)
		return 0;
	copy = d_get(compiler, key_count * sizeof(*copy));
	if (!copy)
		return -1;
	memcpy(copy, keys, key_count * sizeof(*copy));
	identifier->keys = copy;
	identifier->key_count = (uint8_t)key_count;
	return 0;
}

struct d_identifier *d_symbol_variable(struct d_compiler *compiler, struct d_name *name,
	const struct d_place *place, enum d_name_space space, const struct d_type *type,
	const struct d_type *const *keys, unsigned key_count)
{
	static const enum d_scope scopes[] = {[D_SPACE_GLOBAL] = D_SCOPE_GLOBAL,
		[D_SPACE_SELF] = D_SCOPE_SELF,
		[D_SPACE_THIS] = D_SCOPE_THIS};
	struct d_program *program = compiler->program;
	struct d_identifier *identifier = arena_get(&compiler->arena, sizeof(*identifier));
	struct d_variable *variable;

	/*
	 * A string takes strsize bytes wherever it is stored: in a variable, an element or a
	 * member.
	 */
	if (d_type_is_string(type))
		type = compiler->types.type_string;
	if (d_type_is_memory(type)) {
		compiler->object_bytes += d_types_size(&compiler->types, type);
		if (compiler->object_bytes > D_OBJECT_MAX) {
			d_fail(compiler, place, "D_ID_OFLOW",
				"cannot create %s: variables take more than %d MiB", name->bytes,
				D_OBJECT_MAX >> 20);
			return NULL;
		}
	}
	if (!identifier ||
		array_room(&program->variables, &compiler->variable_capacity,
			program->variable_count, sizeof(*program->variables))) {
		d_fail_memory(compiler);
		return NULL;
	}
	variable = &program->variables[program->variable_count];
	memset(variable, 0, sizeof(*variable));
	variable->name = strdup(name->bytes);
	if (!variable->name) {
		d_fail_memory(compiler);
		return NULL;
	}
	variable->scope = scopes[space];
	variable->type = d_type_value(type, program->options.strsize);
	variable->key_count = (uint8_t)key_count;
	identifier->kind = key_count ? D_IDENTIFIER_ARRAY : D_IDENTIFIER_SCALAR;
	identifier->name = name;
	identifier->type = type;
	identifier->script = compiler->script;
	identifier->index = (uint32_t)program->variable_count++;
	if (d_symbol_keys(compiler, identifier, keys, key_count))
		return NULL;
	for (unsigned i = 0; i < key_count; i++)
		variable->keys[i] = d_type_value(keys[i], program->options.strsize);
	identifier->stability = stability_stable;
	enter(compiler, identifier, space);
	if (space == D_SPACE_GLOBAL)
		d_attribute_claim(identifier);
	return identifier;
}

struct d_identifier *d_symbol_aggregation(struct d_compiler *compiler, struct d_name *name)
{
	struct d_program *program = compiler->program;
	struct d_identifier *identifier = arena_get(&compiler->arena, sizeof(*identifier));
	struct d_aggregation *aggregation;

	if (!identifier ||
		array_room(&program->aggregations, &compiler->aggregation_capacity,
			program->aggregation_count, sizeof(*program->aggregations))) {
		d_fail_memory(compiler);
		return NULL;
	}
	aggregation = &program->aggregations[program->aggregation_count];
	memset(aggregation, 0, sizeof(*aggregation));
	aggregation->name = strdup(name->bytes);
	if (!aggregation->name) {
		d_fail_memory(compiler);
		return NULL;
	}
	identifier->kind = D_IDENTIFIER_AGGREGATION;
	identifier->name = name;
	identifier->type = compiler->types.type_dynamic;
	identifier->script = compiler->script;
	identifier->index = (uint32_t)program->aggregation_count++;
	enter(compiler, identifier, D_SPACE_AGGREGATION);
	return identifier;
}

struct d_identifier *d_symbol_inline(struct d_compiler *compiler, struct d_name *name)
{
	struct d_identifier *identifier =
		add_identifier(compiler, name->bytes, name->length, D_IDENTIFIER_INLINE, NULL);

	if (!identifier) {
		d_fail_memory(compiler);
		return NULL;
	}
	identifier->script = compiler->script;
	return identifier;
}

struct d_identifier *d_symbol_enumerator(
	struct d_compiler *compiler, struct d_name *name, const struct d_type *type, int64_t value)
{
	struct d_identifier *identifier =
		add_identifier(compiler, name->bytes, name->length, D_IDENTIFIER_ENUMERATOR, NULL);

	if (!identifier) {
		d_fail_memory(compiler);
		return NULL;
	}
	identifier->script = compiler->script;
	identifier->type = type;
	identifier->value = (uint64_t)value;
	return identifier;
}

int d_symbol_aggregation_keys(struct d_compiler *compiler, struct d_identifier *identifier,
	const struct d_type *const *keys, unsigned key_count)
{
	struct d_program *program = compiler->program;
	struct d_aggregation *aggregation = &program->aggregations[identifier->index];

	if (d_symbol_keys(compiler, identifier, keys, key_count))
		return -1;
	aggregation->key_count = (uint8_t)key_count;
	for (unsigned i = 0; i < key_count; i++)
		aggregation->keys[i] = d_type_value(keys[i], program->options.strsize);
	return 0;
}

const char *d_symbol_text(const struct d_name *name, enum d_name_space space, char buffer[64])
{
	static const char *const prefixes[] = {"", "self->", "this->", "@"};
	bool bare = space == D_SPACE_AGGREGATION && !strcmp(name->bytes, "_");

	snprintf(buffer, 64, "%s%.48s", prefixes[space], bare ? "" : name->bytes);
	return buffer;
}
