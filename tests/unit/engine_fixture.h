/*
 * engine_fixture.h: an engine with memory streams for output and messages, and a batch
 * of events that a test fills. Each test_engine_*.c is a program of one file, so the
 * functions are in a header.
 *
 * Probes: 0 BEGIN, 1 END, 2 ERROR, 3 vm42::main:method-entry, 4 vm42::main:method-return.
 * Names: handles of "alpha", "beta", "gamma" by index.
 */
#ifndef TESTS_ENGINE_FIXTURE_H
#define TESTS_ENGINE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile.h"
#include "engine/engine.h"
#include "engine/output/text_writer.h"
#include "program/probe.h"

enum { FIXTURE_EVENTS = 64, FIXTURE_NAMES = 3, FIXTURE_ENTRY = 3, FIXTURE_RETURN = 4 };

struct fixture {
	struct d_probe_set probes;
	struct engine *engine;
	FILE *output, *messages;
	struct text_writer text;
	char *output_text, *messages_text;
	size_t output_size, messages_size;
	struct event events[FIXTURE_EVENTS];
	uint64_t arguments[FIXTURE_EVENTS][5];
	struct event_batch batch;
	struct text texts[FIXTURE_NAMES];
	const struct text *names[FIXTURE_NAMES];
};

static const struct event_process fixture_self = {777, 1, 1000, 1000, "vmtap", "fixture -x", NULL};
static const struct event_process fixture_target = {42, 7, 1001, 1002, "toy", "fixture -x", NULL};

static inline void fixture_open(struct fixture *fixture)
{
	static const char *const names[FIXTURE_NAMES] = {"alpha", "beta", "gamma"};
	struct d_probe probe = {.provider = (char[]){"vm42"},
		.module = (char[]){""},
		.function = (char[]){"main"},
		.name = (char[]){"method-entry"},
		.argument_count = 2,
		.arguments = (struct d_probe_argument[]){{(char[]){"char *"}, (char[]){"class"}},
			{(char[]){"char *"}, (char[]){"method"}}}};

	memset(fixture, 0, sizeof(*fixture));
	ck_assert_int_eq(d_probe_set_init(&fixture->probes), 0);
	ck_assert_int_eq(d_probe_set_add(&fixture->probes, &probe), FIXTURE_ENTRY);
	probe.name = (char[]){"method-return"};
	ck_assert_int_eq(d_probe_set_add(&fixture->probes, &probe), FIXTURE_RETURN);
	fixture->output = open_memstream(&fixture->output_text, &fixture->output_size);
	fixture->messages = open_memstream(&fixture->messages_text, &fixture->messages_size);
	ck_assert_ptr_nonnull(fixture->output);
	ck_assert_ptr_nonnull(fixture->messages);
	text_writer_init(&fixture->text, fixture->output, fixture->messages);
	for (unsigned i = 0; i < FIXTURE_NAMES; i++) {
		uint32_t length = (uint32_t)strlen(names[i]);
		fixture->texts[i] = (struct text){names[i], length, text_hash(names[i], length)};
		fixture->names[i] = &fixture->texts[i];
	}
	fixture->batch.processes = &fixture_target;
	fixture->batch.process_count = 1;
	fixture->batch.events = fixture->events;
	fixture->batch.names = fixture->names;
	fixture->batch.name_count = FIXTURE_NAMES;
}

static inline void fixture_close(struct fixture *fixture)
{
	engine_free(fixture->engine);
	fclose(fixture->output);
	fclose(fixture->messages);
	free(fixture->output_text);
	free(fixture->messages_text);
	d_probe_set_free(&fixture->probes);
}

/* Compiles a file's text; the caller owns the program. */
static inline struct d_program *fixture_compile(struct fixture *fixture, const char *script)
{
	struct d_compile_settings settings = {.target = fixture_target.pid, .name = "test"};
	struct d_error error = {.tag = ""};
	struct d_compiler *compiler;

	ck_assert_int_eq(d_compiler_new(&settings, &compiler), 0);
	ck_assert_int_eq(d_compiler_set_probes(compiler, &fixture->probes, &error), 0);
	ck_assert_msg(d_parse_script(compiler, "test.d", script, strlen(script), &error) == 0,
		"%s: %s\n%s", error.tag ? error.tag : "", error.message.text, script);
	return d_compiler_finish(compiler);
}

static inline int fixture_engine(struct fixture *fixture, const struct d_program *program)
{
	struct engine_settings settings = {.program = program,
		.probes = &fixture->probes,
		.self = &fixture_self,
		.writer = &fixture->text.writer};

	return engine_new(&settings, &fixture->engine);
}

/* Adds an event to the batch; a method is an index into the names. */
static inline void fixture_event(
	struct fixture *fixture, uint64_t time, uint32_t probe, uint32_t tid, uint64_t method)
{
	struct event *event = &fixture->events[fixture->batch.event_count];
	uint64_t *arguments = fixture->arguments[fixture->batch.event_count];

	ck_assert_uint_lt(fixture->batch.event_count, FIXTURE_EVENTS);
	arguments[0] = event_handle(2, 0);
	arguments[1] = event_handle(method, 0);
	arguments[3] = time % 7;
	*event = (struct event){.time = time,
		.arguments = arguments,
		.probe = probe,
		.tid = tid,
		.cpu = 1,
		.argument_count = 5};
	fixture->batch.event_count++;
}

static inline void fixture_run(struct fixture *fixture)
{
	engine_run(fixture->engine, &fixture->batch);
	fixture->batch.event_count = 0;
	fixture->batch.loss_count = 0;
}

static inline const char *fixture_output(struct fixture *fixture)
{
	fflush(fixture->output);
	return fixture->output_text;
}

static inline const char *fixture_messages(struct fixture *fixture)
{
	fflush(fixture->messages);
	return fixture->messages_text;
}

#endif
