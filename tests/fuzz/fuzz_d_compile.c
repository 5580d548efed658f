/*
 * fuzz_d_compile.c: any bytes as a D script, against a small set of probes. Whatever they
 * are, the compiler must either report an error in one line or produce a program whose
 * references are all valid.
 *
 * Input: a first byte of options (bit 0: as a file; bit 1: arguments; bit 2: zdefs; bit 3: with the
 * built-in library), then the script.
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
	struct d_probe probe = {.provider = (char *)"vm7",
		.module = (char *)"toy",
		.function = (char *)"f",
		.name = (char *)name,
		.argument_count = (uint8_t)count};

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

static void check_program(const struct d_program *program, const struct d_probe_set *set)
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
		if (program->actions[i].format >= (int)program->format_count)
			abort();
	}
	file = open_memstream(&listing, &length);
	if (file) {
		d_program_print(file, program);
		fclose(file);
	}
	free(listing);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const gc[] = {"uint16_t", "uint32_t", "uint16_t", "uint64_t"};
	static const char *const method[] = {
		"char *", "const char *", "struct s *", "int", "odd_t"};
	char *arguments[] = {(char *)"name", (char *)"-12", (char *)"a b\\x41"};
	struct d_compile_options compile_options = {.argref = true};
	struct d_options options;
	struct d_compile_settings settings = {.target = 7,
		.name = "fuzz",
		.options = &options,
		.compile_options = &compile_options};
	struct d_compiler *compiler = NULL;
	struct d_program *program = NULL;
	struct d_match match = {0};
	struct d_error error;
	struct d_probe_set set;
	uint8_t flags = size ? data[0] : 0;
	char *script;
	int result;

	/* A copy of exactly this size, so that reading beyond it is detected. */
	size -= size != 0;
	script = malloc(size + !size);
	if (!script || d_probe_set_init(&set))
		abort();
	memcpy(script, data + 1, size);
	add(&set, "gc-start", 4, gc);
	add(&set, "gc-end", 4, gc);
	add(&set, "method-entry", 5, method);
	settings.probes = &set;
	settings.arguments = arguments;
	settings.argument_count = flags & 2 ? 3 : 0;
	d_options_init(&options);
	options.zdefs = flags & 4;
	compile_options.nolibs = !(flags & 8);
	if (d_compiler_new(&settings, &compiler))
		abort();
	result = d_compile(compiler, flags & 1 ? "fuzz.d" : NULL, script, size, &match, &error);
	if (result) {
		if (!error.tag || !*error.message.text || strchr(error.message.text, '\n'))
			abort();
		d_compiler_free(compiler);
	} else {
		if (d_compiler_finish(compiler, &program, &error))
			abort();
		check_program(program, &set);
	}
	d_match_free(&match);
	d_program_free(program);
	d_probe_set_free(&set);
	free(script);
	return 0;
}
