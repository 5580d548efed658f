/*
 * fuzz_d_compile.c: any bytes as a D script, against a small set of probes. Whatever they
 * are, the compiler must either report an error in one line or produce a program whose
 * references are all valid.
 *
 * Input: a first byte of options (bit 0: as a file; bit 1: arguments; bit 2: zdefs; bit 3: with the
 * built-in library; bit 4: several scripts, with a NUL between, and probes that are known only
 * when all have been read), then the script.
 *
 * One script comes to the same, whether its probes are known before or after it is read.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile.h"
#include "program/disassemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add(struct d_probe_set *set, const char *name, unsigned count, const char *const *types)
{
	struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX];
	struct d_probe probe = {.provider = (char *)"vm7",
		.module = (char *)"toy",
		.function = (char *)"f",
		.name = (char *)name,
		.argument_count = (uint8_t)count,
		.arguments = arguments};

	for (unsigned i = 0; i < count; i++) {
		probe.arguments[i].type = (char *)types[i];
		probe.arguments[i].name = (char *)"x";
	}
	if (d_probe_set_add(set, &probe) < 0)
		abort();
}

static void check_code(
	const struct d_program *program, const struct d_instruction *code, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct d_instruction *at = &code[i];

		if (at->opcode >= D_OPCODES || at->a >= D_REGISTERS_MAX || at->b >= D_REGISTERS_MAX)
			abort();
		if ((at->opcode == D_OP_JUMP || at->opcode == D_OP_JUMP_ZERO ||
			    at->opcode == D_OP_JUMP_NOT_ZERO) &&
			(at->immediate <= (int32_t)i || (size_t)at->immediate >= count))
			abort();
		if (at->opcode == D_OP_ACTION && (size_t)at->immediate >= program->action_count)
			abort();
	}
	if (count && code[count - 1].opcode != D_OP_RETURN)
		abort();
}

/* Its listing, for the caller. */
static char *check_program(const struct d_program *program, const struct d_probe_set *set)
{
	char *listing = NULL;
	size_t length = 0;
	FILE *file;

	for (size_t i = 0; i < program->clause_count; i++) {
		const struct d_clause *clause = &program->clauses[i];

		check_code(program, clause->predicate, clause->predicate_count);
		check_code(program, clause->code, clause->code_count);
		for (size_t k = 0; k < clause->probe_count; k++) {
			if (clause->probes[k] >= set->count ||
				(k && clause->probes[k] <= clause->probes[k - 1]))
				abort();
		}
	}
	for (size_t i = 0; i < program->action_count; i++) {
		const struct d_action *action = &program->actions[i];

		if (action->format >= (int)(action->kind == D_ACTION_PRINT ? program->layout_count
									   : program->format_count))
			abort();
	}
	file = open_memstream(&listing, &length);
	if (file) {
		d_program_print(file, program);
		fclose(file);
	}
	return listing;
}

struct outcome {
	struct d_error error;
	char *listing; /* of the program; NULL: there is none */
};

static void check_error(const struct d_error *error)
{
	if (!error->tag || !*error->message.text || strchr(error->message.text, '\n'))
		abort();
}

/* The scripts in a text, with a NUL between each two if they are several. */
static int parse(struct d_compiler *compiler, const char *file, const char *text, size_t size,
	bool several, struct d_error *error)
{
	const char *end = several ? memchr(text, '\0', size) : NULL;
	int result = 0;

	while (end && !result) {
		result = d_parse_script(compiler, file, text, (size_t)(end - text), error);
		size -= (size_t)(end + 1 - text);
		text = end + 1;
		end = memchr(text, '\0', size);
	}
	return result ? result : d_parse_script(compiler, file, text, size, error);
}

static void compile(const struct d_compile_settings *settings, const char *script, size_t size,
	uint8_t flags, bool late, struct outcome *outcome)
{
	static const char *const gc[] = {"uint16_t", "uint32_t", "uint16_t", "uint64_t"};
	static const char *const method[] = {
		"char *", "const char *", "struct s *", "int", "odd_t"};
	struct d_compiler *compiler = NULL;
	struct d_program *program;
	struct d_probe_set set;
	int result = 0;

	memset(outcome, 0, sizeof(*outcome));
	if (d_probe_set_init(&set))
		abort();
	add(&set, "gc-start", 4, gc);
	add(&set, "gc-end", 4, gc);
	add(&set, "method-entry", 5, method);
	if (d_compiler_new(settings, &compiler))
		abort();
	if (!late)
		result = d_compiler_set_probes(compiler, &set, &outcome->error);
	if (!result)
		result = parse(compiler, flags & 1 ? "fuzz.d" : NULL, script, size, flags & 16,
			&outcome->error);
	if (!result && late)
		result = d_compiler_set_probes(compiler, &set, &outcome->error);
	if (result) {
		check_error(&outcome->error);
		d_compiler_free(compiler);
	} else {
		program = d_compiler_finish(compiler);
		outcome->listing = check_program(program, &set);
		d_program_free(program);
	}
	d_probe_set_free(&set);
}

/* What a script depends on is known only with the probes, and so it is an error only then. */
static void compare(const struct outcome *one, const struct outcome *other)
{
	if (strstr(one->error.message.text, "program requires"))
		return;
	if (strcmp(one->error.message.text, other->error.message.text) != 0 ||
		!one->listing != !other->listing ||
		(one->listing && strcmp(one->listing, other->listing) != 0))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *arguments[] = {(char *)"name", (char *)"-12", (char *)"a b\\x41"};
	struct d_compile_options compile_options = {.argref = true};
	struct d_options options;
	struct d_compile_settings settings = {.target = 7,
		.name = "fuzz",
		.arguments = arguments,
		.options = &options,
		.compile_options = &compile_options};
	struct outcome early, late;
	uint8_t flags = size ? data[0] : 0;
	char *script;

	/* A copy of exactly this size, so that reading beyond it is detected. */
	size -= size != 0;
	script = malloc(size + !size);
	if (!script)
		abort();
	memcpy(script, data + 1, size);
	settings.argument_count = flags & 2 ? 3 : 0;
	d_options_init(&options);
	compile_options.zdefs = flags & 4;
	compile_options.nolibs = !(flags & 8);
	compile(&settings, script, size, flags, true, &late);
	if (!(flags & 16)) {
		compile(&settings, script, size, flags, false, &early);
		compare(&early, &late);
		free(early.listing);
	}
	free(late.listing);
	free(script);
	return 0;
}
