/*
 * fuzz_engine.c: any text that compiles must run: front end and engine together, over
 * events that also come from the input.
 *
 * Input: the script, a NUL, then events of four bytes (probe and thread, time step,
 * name, argument). Without a NUL there are no events.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "d/compile.h"
#include "engine/engine.h"
#include "engine/output/text_writer.h"

enum { EVENTS = 128, NAMES = 4 };

static const char *const probe_names[] = {"method-entry", "method-return", "gc-start"};

static int add_probes(struct d_probe_set *probes)
{
	int error = d_probe_set_init(probes);

	for (unsigned i = 0; !error && i < 3; i++) {
		char provider[] = "vm42", empty[] = "", type[] = "char *", name[] = "class";
		struct d_probe probe = {.provider = provider,
			.module = empty,
			.function = empty,
			.argument_count = 2,
			.arguments = (struct d_probe_argument[]){{type, name}, {type, name}}};
		char *copy = strdup(probe_names[i]);
		probe.name = copy;
		if (!copy || d_probe_set_add(probes, &probe) < 0)
			error = -1;
		free(copy);
	}
	return error;
}

static struct d_program *compile(struct d_probe_set *probes, const uint8_t *text, size_t length)
{
	struct d_compile_settings settings = {.target = 42, .name = "fuzz"};
	struct d_compiler *compiler;
	struct d_error error;

	if (d_compiler_new(&settings, &compiler))
		return NULL;
	if (d_compiler_set_probes(compiler, probes, &error) ||
		d_parse_script(compiler, "fuzz.d", (const char *)text, length, &error)) {
		d_compiler_free(compiler);
		return NULL;
	}
	return d_compiler_finish(compiler);
}

static void run(struct engine *engine, const uint8_t *data, size_t size)
{
	static const struct event_process process = {42, 6, 7, 8, "fuzz", "fixture -x", "toy"};
	struct text texts[NAMES] = {
		{"one", 3, 0}, {"two", 3, 0}, {"", 0, 0}, {"a longer name", 13, 0}};
	const struct text *names[NAMES] = {&texts[0], &texts[1], &texts[2], &texts[3]};
	struct event events[EVENTS];
	uint64_t arguments[EVENTS][4], time = 0;
	struct event_batch batch = {.processes = &process,
		.process_count = 1,
		.events = events,
		.names = names,
		.name_count = NAMES};

	for (unsigned i = 0; i < NAMES; i++)
		texts[i].hash = text_hash(texts[i].bytes, texts[i].length);
	for (; batch.event_count < EVENTS && size >= 4; data += 4, size -= 4) {
		uint64_t *argument = arguments[batch.event_count];
		time += data[1];
		argument[0] = event_handle(data[2] % 5, 0);
		argument[1] = event_handle(data[3] % 5, 0) + data[2] / 64;
		argument[2] = data[3];
		argument[3] = (uint64_t)(int64_t)(int8_t)data[2];
		events[batch.event_count++] = (struct event){.time = time,
			.arguments = argument,
			.probe = 3 + data[0] % 4,
			.tid = data[0] / 64,
			.argument_count = 4};
	}
	batch.until = time;
	engine_begin(engine, 0, 0);
	engine_run(engine, &batch);
	engine_status(engine);
	engine_end(engine, time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct event_process self = {1, 2, 3, 4, "tracer", "fixture -x", ""};
	static FILE *null;
	const uint8_t *end = memchr(data, 0, size);
	size_t length = end ? (size_t)(end - data) : size;
	struct d_program *program = NULL;
	struct d_probe_set probes;
	struct text_writer text;
	struct engine *engine;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null || add_probes(&probes))
		return 0;
	text_writer_init(&text, null, null);
	program = compile(&probes, data, length);
	if (program) {
		struct engine_settings settings = {.program = program,
			.probes = &probes,
			.self = &self,
			.writer = &text.writer};
		int error = engine_new(&settings, &engine);
		/* The engine must accept every program of the front end. */
		if (error == -EINVAL)
			abort();
		if (!error) {
			run(engine, end ? end + 1 : data, end ? size - length - 1 : 0);
			engine_free(engine);
		}
		d_program_free(program);
	}
	d_probe_set_free(&probes);
	return 0;
}
