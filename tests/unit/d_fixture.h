/*
 * d_fixture.h: what the tests of the front end share: a set of probes like those of a VM,
 * and compiling a text with one call. Included by each test_d_*.c.
 */
#ifndef VMTAP_TESTS_D_FIXTURE_H
#define VMTAP_TESTS_D_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile.h"
#include "program/disassemble.h"

struct d_fixture {
	struct d_probe_set probes;
	struct d_options options; /* for the compilers that are created next */
	struct d_compile_options compile_options;
	struct d_compile_settings settings;
	struct d_compiler *compiler;
	struct d_error error;
	struct d_program *program;
	char *listing; /* of the program */
	size_t listing_size;
};

static inline void d_fixture_add(struct d_fixture *fixture, const char *provider,
	const char *function, const char *name, unsigned count, const char *const *types)
{
	struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX];
	struct d_probe probe = {.provider = (char *)provider,
		.module = (char *)"toy",
		.function = (char *)function,
		.name = (char *)name,
		.argument_count = (uint8_t)count,
		.arguments = arguments};

	for (unsigned i = 0; i < count; i++) {
		probe.arguments[i].type = (char *)types[i];
		probe.arguments[i].name = (char *)"x";
	}
	ck_assert_int_ge(d_probe_set_add(&fixture->probes, &probe), 0);
}

/* Ids: BEGIN 1, END 2, ERROR 3, gc-start 4, gc-end 5, method-entry 6, method-return 7,
 * lock-wait 8, odd 9, other's gc-start 10. */
static inline void d_fixture_open(struct d_fixture *fixture)
{
	static const char *const gc[] = {"uint16_t", "uint32_t", "uint16_t", "uint64_t"};
	static const char *const method[] = {"char *", "const char *", "char *", "int", "uint32_t"};
	static const char *const lock[] = {"uint16_t", "struct lock *", "int *", "void *", "char"};
	static const char *const odd[] = {"struct odd", "nosuch_t"};

	memset(fixture, 0, sizeof(*fixture));
	ck_assert_int_eq(d_probe_set_init(&fixture->probes), 0);
	d_fixture_add(fixture, "vm1234", "collect", "gc-start", 4, gc);
	d_fixture_add(fixture, "vm1234", "collect", "gc-end", 4, gc);
	d_fixture_add(fixture, "vm1234", "call", "method-entry", 5, method);
	d_fixture_add(fixture, "vm1234", "call", "method-return", 5, method);
	d_fixture_add(fixture, "vm1234", "wait", "lock-wait", 5, lock);
	d_fixture_add(fixture, "odd1234", "odd", "odd", 2, odd);
	d_fixture_add(fixture, "vm99", "collect", "gc-start", 4, gc);
	d_options_init(&fixture->options);
	fixture->settings = (struct d_compile_settings){.target = 1234,
		.name = "vmtap",
		.options = &fixture->options,
		.compile_options = &fixture->compile_options};
}

static inline void d_fixture_new_compiler(struct d_fixture *fixture)
{
	d_compiler_free(fixture->compiler);
	fixture->compiler = NULL;
	ck_assert_int_eq(d_compiler_new(&fixture->settings, &fixture->compiler), 0);
	ck_assert_int_eq(
		d_compiler_set_probes(fixture->compiler, &fixture->probes, &fixture->error), 0);
}

static inline void d_fixture_close(struct d_fixture *fixture)
{
	d_compiler_free(fixture->compiler);
	d_program_free(fixture->program);
	d_probe_set_free(&fixture->probes);
	d_compile_options_free(&fixture->compile_options);
	free(fixture->listing);
}

/* Adds one script, as the text of a file if file is not NULL. */
static inline int d_fixture_compile(struct d_fixture *fixture, const char *file, const char *text)
{
	if (!fixture->compiler)
		d_fixture_new_compiler(fixture);
	return d_parse_script(fixture->compiler, file, text, strlen(text), &fixture->error);
}

/* Finishes compiling; afterwards the program and its listing exist. */
static inline void d_fixture_finish(struct d_fixture *fixture)
{
	FILE *file;

	d_program_free(fixture->program);
	fixture->program = d_compiler_finish(fixture->compiler);
	fixture->compiler = NULL;
	free(fixture->listing);
	file = open_memstream(&fixture->listing, &fixture->listing_size);
	ck_assert_ptr_nonnull(file);
	d_program_print(file, fixture->program);
	ck_assert_int_eq(fclose(file), 0);
}

/* The listing of a string program, which must compile. */
static inline const char *d_fixture_listing(struct d_fixture *fixture, const char *text)
{
	ck_assert_msg(d_fixture_compile(fixture, NULL, text) == 0, "%s: %s\n%s", fixture->error.tag,
		fixture->error.message.text, text);
	d_fixture_finish(fixture);
	return fixture->listing;
}

#endif
