/*
 * symbol.c: the table of functions and built-in variables, and the making of variables.
 *
 * Functions of D that do not run yet are known by name, so that using one says so.
 */
#include "d/symbol.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT "string"
#define MANY D_FUNCTION_ANY_COUNT

static const struct d_function functions[] = {
	{"trace", D_FUNCTION_ACTION, D_ACTION_TRACE, 1, 1, NULL, {NULL}},
	{"printf", D_FUNCTION_ACTION, D_ACTION_PRINTF, 1, MANY, NULL, {TEXT}},
	{"printa", D_FUNCTION_ACTION, D_ACTION_PRINTA, 1, MANY, NULL, {NULL}},
	{"exit", D_FUNCTION_ACTION, D_ACTION_EXIT, 1, 1, NULL, {"int"}},
	{"clear", D_FUNCTION_ACTION, D_ACTION_CLEAR, 1, 1, NULL, {NULL}},
	{"trunc", D_FUNCTION_ACTION, D_ACTION_TRUNC, 1, 2, NULL, {NULL, "long"}},
	{"normalize", D_FUNCTION_ACTION, D_ACTION_NORMALIZE, 2, 2, NULL, {NULL}},
	{"denormalize", D_FUNCTION_ACTION, D_ACTION_DENORMALIZE, 1, 1, NULL, {NULL}},

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

	{"count", D_FUNCTION_AGGREGATING, D_AGGREGATE_COUNT, 0, 0, NULL, {NULL}},
	{"sum", D_FUNCTION_AGGREGATING, D_AGGREGATE_SUM, 1, 1, NULL, {NULL}},
	{"min", D_FUNCTION_AGGREGATING, D_AGGREGATE_MIN, 1, 1, NULL, {NULL}},
	{"max", D_FUNCTION_AGGREGATING, D_AGGREGATE_MAX, 1, 1, NULL, {NULL}},
	{"avg", D_FUNCTION_AGGREGATING, D_AGGREGATE_AVG, 1, 1, NULL, {NULL}},
	{"stddev", D_FUNCTION_AGGREGATING, D_AGGREGATE_STDDEV, 1, 1, NULL, {NULL}},
	{"quantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_QUANTIZE, 1, 2, NULL, {NULL}},
	{"lquantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_LQUANTIZE, 3, 5, NULL, {NULL}},
	{"llquantize", D_FUNCTION_AGGREGATING, D_AGGREGATE_LLQUANTIZE, 5, 6, NULL, {NULL}},
};

/* Actions and subroutines that are D's and do not run yet. */
static const char *const later_actions[] = {"breakpoint", "chill", "commit", "copyout",
	"copyoutstr", "discard", "freopen", "ftruncate", "func", "jstack", "mod", "panic", "pcap",
	"print", "raise", "setopt", "speculate", "stack", "stop", "sym", "system", "tracemem",
	"uaddr", "ufunc", "umod", "ustack", "usym"};

static const char *const later_subroutines[] = {"alloca", "bcopy", "copyin", "copyinto", "d_path",
	"ddi_pathname", "getf", "getmajor", "getminor", "inet_ntoa", "inet_ntoa6", "inet_ntop",
	"json", "link_ntop", "memref", "memstr", "msgdsize", "msgsize", "mutex_owned",
	"mutex_owner", "mutex_type_adaptive", "mutex_type_spin", "progenyof", "rand", "rw_iswriter",
	"rw_read_held", "rw_write_held", "speculation"};

static const struct {
	const char *name, *type;
	enum d_builtin builtin;
} builtins[] = {
	{"pid", "pid_t", D_BUILTIN_PID},
	{"ppid", "pid_t", D_BUILTIN_PPID},
	{"uid", "uid_t", D_BUILTIN_UID},
	{"gid", "gid_t", D_BUILTIN_GID},
	{"tid", "id_t", D_BUILTIN_TID},
	{"cpu", "int", D_BUILTIN_CPU},
	{"id", "uint_t", D_BUILTIN_ID},
	{"epid", "uint64_t", D_BUILTIN_EPID},
	{"timestamp", "uint64_t", D_BUILTIN_TIMESTAMP},
	{"vtimestamp", "uint64_t", D_BUILTIN_VTIMESTAMP},
	{"walltimestamp", "int64_t", D_BUILTIN_WALLTIMESTAMP},
	{"execname", TEXT, D_BUILTIN_EXECNAME},
	{"probeprov", TEXT, D_BUILTIN_PROBEPROV},
	{"probemod", TEXT, D_BUILTIN_PROBEMOD},
	{"probefunc", TEXT, D_BUILTIN_PROBEFUNC},
	{"probename", TEXT, D_BUILTIN_PROBENAME},
};

static const char *const later_builtins[] = {"caller", "chip", "curcpu", "curlwpsinfo", "curpsinfo",
	"curthread", "cwd", "errno", "execargs", "ipl", "lgrp", "pset", "root", "stackdepth",
	"ucaller", "uregs", "ustackdepth", "zonename"};

static struct d_identifier *add(struct d_compiler *compiler, const char *text, size_t length,
	enum d_identifier_kind kind, const char *type)
{
	struct d_name *name = d_names_get(&compiler->names, text, length);
	struct d_identifier *identifier = d_arena_get(&compiler->arena, sizeof(*identifier));

	if (!name || !identifier)
		return NULL;
	identifier->kind = kind;
	identifier->name = name;
	identifier->type = type ? d_types_find(&compiler->types, type) : compiler->types.type_void;
	name->identifiers[D_SPACE_GLOBAL] = identifier;
	return identifier;
}

static bool add_later_functions(struct d_compiler *compiler, const char *const *names, size_t count,
	enum d_function_kind kind)
{
	struct d_function *later = d_arena_get(&compiler->arena, count * sizeof(*later));
	struct d_identifier *identifier = NULL;

	for (size_t i = 0; later && i < count; i++) {
		later[i].name = names[i];
		later[i].kind = kind;
		later[i].id = -1;
		later[i].maximum = D_FUNCTION_ANY_COUNT;
		identifier = add(compiler, names[i], strlen(names[i]), D_IDENTIFIER_FUNCTION, NULL);
		if (!identifier)
			return false;
		identifier->function = &later[i];
	}
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
	for (size_t i = 0; i < COUNT(builtins); i++) {
		identifier = add(compiler, builtins[i].name, strlen(builtins[i].name),
			D_IDENTIFIER_BUILTIN, builtins[i].type);
		if (!identifier)
			return -ENOMEM;
		identifier->index = builtins[i].builtin;
	}
	for (unsigned i = 0; i < 10; i++) {
		argument[3] = (char)('0' + i);
		identifier = add(compiler, argument, 4, D_IDENTIFIER_ARGUMENT, "int64_t");
		if (!identifier)
			return -ENOMEM;
		identifier->index = i;
	}
	for (size_t i = 0; i < COUNT(later_builtins); i++) {
		if (!add(compiler, later_builtins[i], strlen(later_builtins[i]),
			    D_IDENTIFIER_UNKNOWN, NULL))
			return -ENOMEM;
	}
	if (!add(compiler, "args", 4, D_IDENTIFIER_ARGUMENTS, NULL) ||
		!add_later_functions(
			compiler, later_actions, COUNT(later_actions), D_FUNCTION_ACTION) ||
		!add_later_functions(compiler, later_subroutines, COUNT(later_subroutines),
			D_FUNCTION_SUBROUTINE))
		return -ENOMEM;
	return 0;
}

struct d_identifier *d_symbol_find(
	struct d_compiler *compiler, const struct d_name *name, enum d_name_space space)
{
	struct d_identifier *identifier = name->identifiers[space];

	if (identifier && space == D_SPACE_THIS && identifier->script != compiler->script)
		return NULL;
	return identifier;
}

struct d_identifier *d_symbol_variable(struct d_compiler *compiler, struct d_name *name,
	enum d_name_space space, const struct d_type *type, const struct d_type *const *keys,
	unsigned key_count)
{
	static const enum d_scope scopes[] = {[D_SPACE_GLOBAL] = D_SCOPE_GLOBAL,
		[D_SPACE_SELF] = D_SCOPE_SELF,
		[D_SPACE_THIS] = D_SCOPE_THIS};
	struct d_program *program = compiler->program;
	struct d_identifier *identifier = d_arena_get(&compiler->arena, sizeof(*identifier));
	struct d_variable *variable;

	if (!identifier || d_array_room(&program->variables, &compiler->variable_capacity,
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
	name->identifiers[space] = identifier;
	return identifier;
}

struct d_identifier *d_symbol_aggregation(struct d_compiler *compiler, struct d_name *name)
{
	struct d_program *program = compiler->program;
	struct d_identifier *identifier = d_arena_get(&compiler->arena, sizeof(*identifier));
	struct d_aggregation *aggregation;

	if (!identifier || d_array_room(&program->aggregations, &compiler->aggregation_capacity,
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

	if (!identifier)
		d_fail_memory(compiler);
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
