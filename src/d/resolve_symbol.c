/*
 * resolve_symbol.c: the table of functions and built-in variables, and the making of variables.
 */
#include "d/resolve_symbol.h"

#include "d/generate_stack.h"
#include "d/resolve_attribute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT "string"
#define MANY D_FUNCTION_ANY_COUNT

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

	{"copyinstr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_COPYINSTR, 1, 2, TEXT,
		{"uintptr_t", "size_t"}},
	{"strjoin", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRJOIN, 2, 2, TEXT, {TEXT, TEXT}},
	{"strlen", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRLEN, 1, 1, "size_t", {TEXT}},
	{"strchr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRCHR, 2, 2, TEXT, {TEXT, "char"}},
	{"strrchr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRRCHR, 2, 2, TEXT, {TEXT, "char"}},
	{"strstr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRSTR, 2, 2, TEXT, {TEXT, TEXT}},
	{"index", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_INDEX, 2, 3, "int", {TEXT, TEXT, "int"}},
	{"rindex", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_RINDEX, 2, 3, "int", {TEXT, TEXT, "int"}},
	{"substr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SUBSTR, 2, 3, TEXT, {TEXT, "int", "int"}},
	{"strtok", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRTOK, 2, 2, TEXT, {TEXT, TEXT}},
	{"toupper", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_TOUPPER, 1, 1, TEXT, {TEXT}},
	{"tolower", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_TOLOWER, 1, 1, TEXT, {TEXT}},
	{"basename", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_BASENAME, 1, 1, TEXT, {TEXT}},
	{"dirname", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_DIRNAME, 1, 1, TEXT, {TEXT}},
	{"cleanpath", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_CLEANPATH, 1, 1, TEXT, {TEXT}},
	{"lltostr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LLTOSTR, 1, 2, TEXT, {"int64_t", "int"}},
	{"strtoll", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_STRTOLL, 1, 2, "int64_t", {TEXT, "int"}},
	{"htons", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP16, 1, 1, "uint16_t", {"uint16_t"}},
	{"ntohs", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP16, 1, 1, "uint16_t", {"uint16_t"}},
	{"htonl", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP32, 1, 1, "uint32_t", {"uint32_t"}},
	{"ntohl", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP32, 1, 1, "uint32_t", {"uint32_t"}},
	{"htonll", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP64, 1, 1, "uint64_t", {"uint64_t"}},
	{"ntohll", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SWAP64, 1, 1, "uint64_t", {"uint64_t"}},
	{"json", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_JSON, 2, 2, TEXT, {TEXT, TEXT}},
	{"rand", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_RAND, 0, 0, "int", {NULL}},
	{"progenyof", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_PROGENYOF, 1, 1, "int", {"pid_t"}},
	{"getmajor", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_GETMAJOR, 1, 1, "uint_t", {"dev_t"}},
	{"getminor", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_GETMINOR, 1, 1, "uint_t", {"dev_t"}},

	{"speculation", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_SPECULATION, 0, 0, "int", {NULL}},
	{"inet_ntoa", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_INET_NTOA, 1, 1, TEXT, {"ipaddr_t *"}},
	{"inet_ntoa6", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_INET_NTOA6, 1, 2, TEXT,
		{"void *", "int"}},
	{"inet_ntop", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_INET_NTOP, 2, 2, TEXT, {"int", "void *"}},
	{"link_ntop", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LINK_NTOP, 2, 2, TEXT, {"int", "void *"}},
	{"mutex_owned", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"mutex_owner", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "uintptr_t", {"void *"}},
	{"mutex_type_adaptive", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"mutex_type_spin", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"rw_iswriter", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"rw_read_held", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"rw_write_held", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_LOCK, 1, 1, "int", {"void *"}},
	{"msgsize", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_KERNEL, 1, 1, "size_t", {"void *"}},
	{"msgdsize", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_KERNEL, 1, 1, "size_t", {"void *"}},
	{"getf", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_KERNEL, 1, 1, "uintptr_t", {"int"}},
	{"d_path", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_KERNEL_TEXT, 1, 1, TEXT, {"void *"}},
	{"ddi_pathname", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_KERNEL_TEXT, 2, 2, TEXT,
		{"void *", "int64_t"}},

	{"alloca", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_ALLOCA, 1, 1, "void *", {"size_t"}},
	{"copyin", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_COPYIN, 2, 2, "void *",
		{"uintptr_t", "size_t"}},
	{"copyinto", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_COPYINTO, 3, 3, NULL,
		{"uintptr_t", "size_t", "void *"}},
	{"memref", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_MEMREF, 2, 2, "uintptr_t *",
		{"void *", "size_t"}},
	{"memstr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_MEMSTR, 3, 3, TEXT,
		{"void *", "char", "size_t"}},
	{"bcopy", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_BCOPY, 3, 3, NULL,
		{"void *", "void *", "size_t"}},
	{"copyout", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_COPYOUT, 3, 3, NULL,
		{"void *", "uintptr_t", "size_t"}},
	{"copyoutstr", D_FUNCTION_SUBROUTINE, D_SUBROUTINE_COPYOUTSTR, 3, 3, NULL,
		{TEXT, "uintptr_t", "size_t"}},

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
};

static struct d_identifier *add(struct d_compiler *compiler, const char *text, size_t length,
	enum d_identifier_kind kind, const char *type)
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
	name->identifiers[D_SPACE_GLOBAL] = identifier;
	return identifier;
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

int d_symbols_init(struct d_compiler *compiler)
{
	struct d_identifier *identifier;
	char argument[] = "arg0";

	for (size_t i = 0; i < COUNT(functions); i++) {
		identifier = add(compiler, functions[i].name, strlen(functions[i].name),
			D_IDENTIFIER_FUNCTION, NULL);
		if (!identifier)
			return -ENOMEM;
		identifier->function = &functions[i];
	}
	for (unsigned i = 0; i < D_BUILTINS; i++) {
		identifier = add(compiler, d_builtins[i].name, strlen(d_builtins[i].name),
			i == D_BUILTIN_UREGS ? D_IDENTIFIER_REGISTERS : D_IDENTIFIER_BUILTIN,
			d_builtins[i].type);
		if (!identifier)
			return -ENOMEM;
		identifier->index = i;
	}
	for (unsigned i = 0; i < 10; i++) {
		argument[3] = (char)('0' + i);
		identifier = add(compiler, argument, 4, D_IDENTIFIER_ARGUMENT, "int64_t");
		if (!identifier)
			return -ENOMEM;
		identifier->index = i;
	}
	if (!add(compiler, "args", 4, D_IDENTIFIER_ARGUMENTS, NULL))
		return -ENOMEM;
	d_attributes_init(compiler);
	return 0;
}

struct d_identifier *d_symbol_find(
	struct d_compiler *compiler, const struct d_name *name, enum d_name_space space)
{
	struct d_identifier *identifier = name->identifiers[space];

	if (identifier && space == D_SPACE_THIS && identifier->script != compiler->script)
		return NULL;
	if (identifier && compiler->options.version &&
		identifier->version > compiler->options.version)
		return NULL;
	return identifier;
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

	/* Of an element or a member too, a variable's string is as long as any. */
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
	identifier->key_count = (uint8_t)key_count;
	for (unsigned i = 0; i < key_count; i++) {
		identifier->keys[i] = keys[i];
		variable->keys[i] = d_type_value(keys[i], program->options.strsize);
	}
	identifier->stability = stability_stable;
	name->identifiers[space] = identifier;
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
	identifier->index = (uint32_t)program->aggregation_count++;
	name->identifiers[D_SPACE_AGGREGATION] = identifier;
	return identifier;
}

struct d_identifier *d_symbol_inline(struct d_compiler *compiler, struct d_name *name)
{
	struct d_identifier *identifier =
		add(compiler, name->bytes, name->length, D_IDENTIFIER_INLINE, NULL);

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
		add(compiler, name->bytes, name->length, D_IDENTIFIER_ENUMERATOR, NULL);

	if (!identifier) {
		d_fail_memory(compiler);
		return NULL;
	}
	identifier->script = compiler->script;
	identifier->type = type;
	identifier->value = (uint64_t)value;
	return identifier;
}

void d_symbol_aggregation_keys(struct d_compiler *compiler, struct d_identifier *identifier,
	const struct d_type *const *keys, unsigned key_count)
{
	struct d_program *program = compiler->program;
	struct d_aggregation *aggregation = &program->aggregations[identifier->index];

	identifier->key_count = aggregation->key_count = (uint8_t)key_count;
	for (unsigned i = 0; i < key_count; i++) {
		identifier->keys[i] = keys[i];
		aggregation->keys[i] = d_type_value(keys[i], program->options.strsize);
	}
}

const char *d_symbol_text(const struct d_name *name, enum d_name_space space, char buffer[64])
{
	static const char *const prefixes[] = {"", "self->", "this->", "@"};
	bool bare = space == D_SPACE_AGGREGATION && !strcmp(name->bytes, "_");

	snprintf(buffer, 64, "%s%.48s", prefixes[space], bare ? "" : name->bytes);
	return buffer;
}
