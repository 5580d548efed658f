/*
 * bench_engine.c: measures how many events per second the D engine runs, from batches that
 * are ready in memory: counting by a string key, and timing from entry to return with
 * self-> and quantize() by method. The programs are assembled by hand, as the compiler would
 * do it, so that only the engine is measured. Prints one line for each.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"
#include "engine/output/text_writer.h"
#include "program/probe.h"
#include "program/program.h"

enum {
	NAMES = 256,
	EVENTS = 4096,
	ROUNDS = 4000,
	ENTRY = 3, /* probes: after BEGIN, END, ERROR */
	RETURN = 4
};

static const struct d_value_type integer_type = {
	.kind = D_VALUE_INTEGER, .is_signed = true, .size = 8};
static const struct d_value_type string_type = {.kind = D_VALUE_STRING, .size = 256};

/* @[copyinstr(arg1)] = count(); */
static struct d_instruction count_code[] = {
	{D_OP_ARGUMENT, 0, 0, 0, 1},
	{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
	{D_OP_AGGREGATE, 1, 0, 0, 0},
	{D_OP_RETURN, 0, 0, 0, 0},
};

/* entry: self->start = timestamp; */
static struct d_instruction entry_code[] = {
	{D_OP_BUILTIN, 0, 0, 0, D_BUILTIN_TIMESTAMP},
	{D_OP_STORE, 0, 0, 0, 0},
	{D_OP_RETURN, 0, 0, 0, 0},
};

/* return: / self->start / { @[copyinstr(arg1)] = quantize(timestamp - self->start); self->start =
 * 0; } */
static struct d_instruction return_predicate[] = {
	{D_OP_LOAD, 0, 0, 0, 0},
	{D_OP_RETURN, 0, 0, 0, 0},
};
static struct d_instruction return_code[] = {
	{D_OP_ARGUMENT, 0, 0, 0, 1},
	{D_OP_CALL, 1, 0, 1, D_SUBROUTINE_COPYINSTR},
	{D_OP_BUILTIN, 2, 0, 0, D_BUILTIN_TIMESTAMP},
	{D_OP_LOAD, 3, 0, 0, 0},
	{D_OP_SUBTRACT, 4, 2, 3, 0},
	{D_OP_INTEGER, 5, 0, 0, 1},
	{D_OP_AGGREGATE, 1, 4, 5, 0},
	{D_OP_FREE, 0, 0, 0, 0},
	{D_OP_RETURN, 0, 0, 0, 0},
};

static struct event events[EVENTS];
static uint64_t arguments[EVENTS][5];
static struct text texts[NAMES];
static const struct text *names[NAMES];
static char name_bytes[NAMES][32];

/* Two threads take turns in runs of 64 events; each alternates entry and return. */
static void make_events(void)
{
	uint64_t random = 88172645463325252u;

	for (unsigned i = 0; i < NAMES; i++) {
		int length = snprintf(name_bytes[i], sizeof(name_bytes[i]), "method_%u_name", i);
		texts[i].bytes = name_bytes[i];
		texts[i].length = (uint32_t)length;
		texts[i].hash = text_hash(name_bytes[i], (uint32_t)length);
		names[i] = &texts[i];
	}
	for (unsigned i = 0; i < EVENTS; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		if (i % 2)
			memcpy(arguments[i], arguments[i - 1], sizeof(arguments[i]));
		else
			arguments[i][1] = event_handle(random % NAMES, 0);
		events[i].time = 1000 + i * 50 + random % 50;
		events[i].arguments = arguments[i];
		events[i].argument_count = 5;
		events[i].tid = 100 + i / 64 % 2;
		events[i].cpu = (uint16_t)(i / 64 % 2);
	}
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int measure(const char *title, struct d_program *program, const struct d_probe_set *probes,
	bool returns)
{
	static const struct event_process process = {1234, 1, 0, 0, "bench", "bench", NULL};
	struct event_batch batch = {.processes = &process,
		.process_count = 1,
		.events = events,
		.event_count = EVENTS,
		.names = names,
		.name_count = NAMES};
	struct text_writer text;
	FILE *output = fopen("/dev/null", "w");
	struct engine_settings settings = {
		.program = program, .probes = probes, .self = &process, .writer = &text.writer};
	struct engine *engine;
	double start, end;

	if (!output)
		return 1;
	text_writer_init(&text, output, stderr);
	for (unsigned i = 0; i < EVENTS; i++)
		events[i].probe = returns && i % 2 ? RETURN : ENTRY;
	if (engine_new(&settings, &engine)) {
		fprintf(stderr, "bench_engine: the program was refused\n");
		fclose(output);
		return 1;
	}
	engine_begin(engine, 0, 0);
	engine_run(engine, &batch);
	start = seconds();
	for (unsigned i = 0; i < ROUNDS; i++)
		engine_run(engine, &batch);
	end = seconds();
	engine_end(engine, 1);
	engine_free(engine);
	fclose(output);
	printf("%-44s %6.1f million events/s (%.1f ns)\n", title,
		EVENTS * (double)ROUNDS / (end - start) * 1e-6,
		(end - start) * 1e9 / (EVENTS * (double)ROUNDS));
	return 0;
}

int main(void)
{
	static struct d_probe probe_array[] = {
		{.name = "BEGIN", .kind = D_PROBE_BEGIN},
		{.name = "END", .kind = D_PROBE_END},
		{.name = "ERROR", .kind = D_PROBE_ERROR},
		{.name = "method-entry"},
		{.name = "method-return"},
	};
	struct d_probe_set probes = {.probes = probe_array, .count = 5, .capacity = 5};
	uint32_t entry_probe = ENTRY, return_probe = RETURN;
	struct d_clause count_clause = {
		.code = count_code, .code_count = 4, .probes = &entry_probe, .probe_count = 1};
	struct d_clause time_clauses[] = {
		{.code = entry_code, .code_count = 3, .probes = &entry_probe, .probe_count = 1},
		{.predicate = return_predicate,
			.predicate_count = 2,
			.code = return_code,
			.code_count = 9,
			.probes = &return_probe,
			.probe_count = 1},
	};
	struct d_variable start = {"start", D_SCOPE_SELF, integer_type, 0, {{0}}};
	struct d_aggregation count = {
		.name = "_", .function = D_AGGREGATE_COUNT, .key_count = 1, .keys = {string_type}};
	struct d_aggregation quantize = {.name = "_",
		.function = D_AGGREGATE_QUANTIZE,
		.key_count = 1,
		.keys = {string_type}};
	struct d_options options = {.strsize = 256,
		.aggsize = 4 << 20,
		.dynvarsize = 1 << 20,
		.bufsize = 4 << 20,
		.cpu = -1};
	struct d_program count_program = {.options = options,
		.aggregations = &count,
		.aggregation_count = 1,
		.clauses = &count_clause,
		.clause_count = 1};
	struct d_program time_program = {.options = options,
		.variables = &start,
		.variable_count = 1,
		.aggregations = &quantize,
		.aggregation_count = 1,
		.clauses = time_clauses,
		.clause_count = 2};

	make_events();
	return measure("count() by name", &count_program, &probes, false) |
		measure("entry to return, quantize() by name", &time_program, &probes, true);
}
