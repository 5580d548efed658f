/*
 * fuzz_engine_code.c: byte code that does not come from the compiler. The engine must refuse it
 * or run it without touching memory that is not its own: this tests the verifier. What it accepts
 * must also have a demand (program/demand.h).
 *
 * Input: up to three clauses, each a byte for its length and probe and then instructions
 * of five bytes (opcode, a, b, c, immediate); the remaining bytes are the events of two
 * batches, four bytes each. Variables, aggregations and actions are fixed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"
#include "engine/output/text_writer.h"
#include "program/demand.h"

enum { CLAUSES = 3, CODE = 32, EVENTS = 64, NAMES = 4, PROBES = 6 };

#define INTEGER(bytes)                                                                             \
	{                                                                                          \
		.kind = D_VALUE_INTEGER, .is_signed = true, .size = bytes                          \
	}
#define STRING                                                                                     \
	{                                                                                          \
		.kind = D_VALUE_STRING, .size = 16                                                 \
	}

#define BYTES                                                                                      \
	{                                                                                          \
		.kind = D_VALUE_BYTES, .size = 20                                                  \
	}

#define STACK(of)                                                                                  \
	{                                                                                          \
		.kind = of                                                                         \
	}

static struct d_value_type types[] = {
	INTEGER(4), STRING, INTEGER(8), BYTES, STACK(D_VALUE_GUEST_STACK), STACK(D_VALUE_STACK)};
static struct d_variable variables[] = {
	{.scope = D_SCOPE_GLOBAL, .type = INTEGER(8)},
	{.scope = D_SCOPE_GLOBAL, .type = STRING},
	{.scope = D_SCOPE_SELF, .type = INTEGER(8)},
	{.scope = D_SCOPE_SELF, .type = STRING},
	{.scope = D_SCOPE_THIS, .type = STRING},
	{.scope = D_SCOPE_GLOBAL, .type = STRING, .key_count = 2, .keys = {STRING, INTEGER(2)}},
	{.scope = D_SCOPE_SELF, .type = INTEGER(8), .key_count = 1, .keys = {INTEGER(8)}},
	{.scope = D_SCOPE_THIS, .type = BYTES},
	{.scope = D_SCOPE_SELF, .type = BYTES},
	{.scope = D_SCOPE_GLOBAL, .type = BYTES, .key_count = 1, .keys = {BYTES}},
	{.scope = D_SCOPE_GLOBAL, .type = STACK(D_VALUE_GUEST_STACK)},
	{.scope = D_SCOPE_SELF, .type = STACK(D_VALUE_STACK)},
	{.scope = D_SCOPE_SELF,
		.type = STACK(D_VALUE_STACK),
		.key_count = 1,
		.keys = {STACK(D_VALUE_GUEST_STACK)}},
};
static struct d_aggregation aggregations[] = {
	{.function = D_AGGREGATE_COUNT, .key_count = 1, .keys = {STRING}},
	{.function = D_AGGREGATE_QUANTIZE, .key_count = 1, .keys = {STRING}},
	{.function = D_AGGREGATE_STDDEV},
	{.function = D_AGGREGATE_LQUANTIZE, .parameters = {-5, 5, 2}},
	{.function = D_AGGREGATE_LLQUANTIZE,
		.parameters = {10, 0, 3, 20},
		.key_count = 2,
		.keys = {INTEGER(1), STRING}},
	{.function = D_AGGREGATE_COUNT, .key_count = 2, .keys = {BYTES, STRING}},
	{.function = D_AGGREGATE_COUNT, .key_count = 1, .keys = {STACK(D_VALUE_STACK)}},
};
static struct d_conversion conversions[] = {
	{.before = {"(", 1, 0},
		.present = true,
		.kind = D_CONVERT_STRING,
		.letter = 's',
		.width = -1,
		.precision = -1,
		.type = STRING},
	{.present = true,
		.kind = D_CONVERT_SIGNED,
		.letter = 'd',
		.width_argument = true,
		.precision_argument = true,
		.type = INTEGER(4)},
	{.before = {")", 1, 0}},
};
static struct d_conversion value_conversions[] = {
	{.present = true,
		.kind = D_CONVERT_STRING,
		.letter = 'S',
		.width = 9,
		.precision = 3,
		.type = STRING},
	{.present = true, .aggregation = true, .kind = D_CONVERT_POINTER, .letter = 'p'},
};
static struct d_format formats[] = {{3, conversions}, {2, value_conversions}};
static struct d_value_type printf_types[] = {STRING, INTEGER(4), INTEGER(4), INTEGER(4)};
static uint32_t joined[] = {0, 1};
static struct d_action actions[] = {
	{D_ACTION_TRACE, -1, 1, &types[0], 0, NULL, 0},
	{D_ACTION_TRACE, -1, 1, &types[1], 0, NULL, 0},
	{D_ACTION_PRINTF, 0, 4, printf_types, 0, NULL, 0},
	{D_ACTION_PRINTA, -1, 0, NULL, 2, joined, 0},
	{D_ACTION_PRINTA, 1, 0, NULL, 2, joined, 0},
	{D_ACTION_CLEAR, -1, 0, NULL, 1, &joined[1], 0},
	{D_ACTION_TRUNC, -1, 1, &types[2], 1, &joined[0], 0},
	{D_ACTION_NORMALIZE, -1, 1, &types[2], 1, &joined[0], 0},
	{D_ACTION_EXIT, -1, 1, &types[0], 0, NULL, 0},
	{D_ACTION_TRACE, -1, 1, &types[3], 0, NULL, 0},
	/* The engine has no effects here: these fail with a message. */
	{D_ACTION_SYSTEM, 0, 4, printf_types, 0, NULL, 0xa},
	{D_ACTION_FREOPEN, 0, 4, printf_types, 0, NULL, 0},
	{D_ACTION_FTRUNCATE, -1, 0, NULL, 0, NULL, 0},
	{D_ACTION_RAISE, -1, 1, &types[0], 0, NULL, 0},
	{D_ACTION_SETOPT, -1, 1, &types[1], 0, NULL, 0},
	{D_ACTION_PRINT, 2, 2, &types[2], 0, NULL, 0},
	{D_ACTION_TRACE, -1, 1, &types[4], 0, NULL, 0},
	{D_ACTION_TRACE, -1, 1, &types[5], 0, NULL, 0},
};
static char int_type[] = "int", char_type[] = "char", struct_type[] = "struct";
static struct d_layout_part parts[] = {
	{int_type, 0, 0, 3, 2}, {char_type, 7, 1, 0, 0}, {int_type, 16, 0, 0, 0}};
static struct d_layout layouts[] = {
	{.kind = D_LAYOUT_INTEGER, .is_signed = true, .size = 4, .type = int_type},
	{.kind = D_LAYOUT_ARRAY,
		.size = 8,
		.depth = 1,
		.type = char_type,
		.element = 0,
		.count = 2},
	{.kind = D_LAYOUT_STRUCT,
		.size = 20,
		.depth = 2,
		.type = struct_type,
		.count = 3,
		.parts = parts},
};
static struct text strings[] = {{"", 0, 0}, {"a longer text than strsize", 26, 0}};
static int64_t integers[] = {INT64_MIN, -1, INT64_MAX};

static uint8_t next_byte(const uint8_t **data, size_t *size)
{
	if (*size == 0)
		return 0;
	--*size;
	return *(*data)++;
}

static void make_batch(struct event_batch *batch, struct event *events, uint64_t (*arguments)[4],
	uint64_t start, const uint8_t **data, size_t *size)
{
	size_t count = 0;

	for (; count < EVENTS && *size; count++) {
		uint8_t kind = next_byte(data, size), step = next_byte(data, size);
		start += step;
		arguments[count][0] = event_handle(next_byte(data, size) % 8, kind & 1) + kind % 8;
		arguments[count][1] = next_byte(data, size);
		events[count] = (struct event){
			.time = start,
			.arguments = arguments[count],
			.probe = kind % (PROBES + 1),
			.tid = kind >> 6,
			.argument_count = 2,
		};
	}
	batch->events = events;
	batch->event_count = count;
	batch->until = start;
}

static void run(struct engine *engine, const uint8_t *data, size_t size)
{
	static const struct event_process process = {5, 6, 7, 8, "fuzz", "fixture -x", "toy"};
	struct text texts[NAMES] = {
		{"one", 3, 0}, {"two", 3, 0}, {"", 0, 0}, {"a name of twenty-six bytes", 26, 0}};
	const struct text *names[NAMES] = {&texts[0], &texts[1], NULL, &texts[3]};
	struct event events[EVENTS];
	uint64_t arguments[EVENTS][4];
	struct event_batch batch = {.processes = &process,
		.process_count = 1,
		.names = names,
		.name_count = NAMES,
		.transients = names,
		.transient_count = 2};

	for (unsigned i = 0; i < NAMES; i++)
		texts[i].hash = text_hash(texts[i].bytes, texts[i].length);
	engine_begin(engine, 0, 0);
	make_batch(&batch, events, arguments, 0, &data, &size);
	engine_run(engine, &batch);
	make_batch(&batch, events, arguments, batch.until, &data, &size);
	engine_run(engine, &batch);
	engine_status(engine);
	engine_end(engine, batch.until);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char provider[] = "vm1", name[] = "method-entry";
	static struct d_probe probe_array[PROBES] = {
		[3] = {.provider = provider, .name = name},
		[5] = {.kind = D_PROBE_TICK, .period = 50},
	};
	static const struct event_process self = {1, 2, 3, 4, "tracer", "fixture -x", ""};
	static FILE *null;
	struct d_probe_set probes = {.probes = probe_array, .count = PROBES, .capacity = PROBES};
	struct d_clause clauses[CLAUSES];
	struct d_instruction code[CLAUSES][CODE];
	uint32_t clause_probes[CLAUSES];
	struct d_program program = {
		.options = {.strsize = 16,
			.aggsize = 65536,
			.dynvarsize = 512,
			.scratchsize = 64,
			.bufsize = 2048,
			.cpu = -1,
			.nspec = 2,
			.specsize = 512},
		.integers = integers,
		.integer_count = sizeof(integers) / sizeof(integers[0]),
		.strings = strings,
		.string_count = sizeof(strings) / sizeof(strings[0]),
		.variables = variables,
		.variable_count = sizeof(variables) / sizeof(variables[0]),
		.aggregations = aggregations,
		.aggregation_count = sizeof(aggregations) / sizeof(aggregations[0]),
		.formats = formats,
		.format_count = sizeof(formats) / sizeof(formats[0]),
		.layouts = layouts,
		.layout_count = sizeof(layouts) / sizeof(layouts[0]),
		.actions = actions,
		.action_count = sizeof(actions) / sizeof(actions[0]),
		.clauses = clauses,
	};
	struct engine_settings settings = {.program = &program, .probes = &probes, .self = &self};
	struct text_writer text;
	struct engine *engine;

	if (!null)
		null = fopen("/dev/null", "w");
	if (!null)
		return 0;
	text_writer_init(&text, null, null);
	settings.writer = &text.writer;
	memset(clauses, 0, sizeof(clauses));
	while (program.clause_count < CLAUSES && size) {
		size_t i = program.clause_count++, count = 0;
		uint8_t head = next_byte(&data, &size);
		program.options.quiet = head & 128;
		program.options.bufpolicy = (head & 96) == 96 ? D_BUFFER_RING
			: (head & 96) == 32                   ? D_BUFFER_FILL
							      : D_BUFFER_SWITCH;
		for (; count < head % CODE && size >= 5; count++) {
			code[i][count].opcode = next_byte(&data, &size) % (D_OPCODES + 1);
			code[i][count].a = next_byte(&data, &size);
			code[i][count].b = next_byte(&data, &size);
			code[i][count].c = next_byte(&data, &size);
			code[i][count].immediate = (int8_t)next_byte(&data, &size);
		}
		code[i][count++] = (struct d_instruction){.opcode = D_OP_RETURN};
		clause_probes[i] = head / CODE % PROBES;
		clauses[i] = (struct d_clause){.code = code[i],
			.code_count = count,
			.action_count = 1,
			.probes = &clause_probes[i],
			.probe_count = 1};
	}
	if (engine_new(&settings, &engine)) {
		if (!program.clause_count)
			abort(); /* the tables are wrong, so that nothing is tested */
		return 0;
	}
	for (size_t i = 0; i < program.clause_count; i++) {
		struct d_demand demand;

		if (d_demand_of(&program, &clauses[i], &demand))
			abort();
		d_demand_free(&demand);
	}
	run(engine, data, size);
	engine_free(engine);
	return 0;
}
