/*
 * test_engine_writer.c: a second implementation of the engine's writer (engine/output/writer.h),
 * which has nothing to do with DTrace's text: it records each call as a line with the values and
 * their types. These must suffice for any format: names, keys, numbers, buckets, reasons.
 */
#include "engine_fixture.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>

#include "engine/output/writer.h"
#include "engine/store/value.h"
#include "unit_main.h"

struct noting_writer {
	struct writer writer;
	struct writer_run run;
	char notes[8192];
	size_t length;
	bool pending;
};

static struct fixture fixture;
static struct d_program *program;
static struct noting_writer noting;

static struct noting_writer *of(struct writer *writer)
{
	ck_assert_ptr_eq(writer, &noting.writer);
	return &noting;
}

__attribute__((format(printf, 2, 3))) static void note(
	struct writer *writer, const char *format, ...)
{
	struct noting_writer *to = of(writer);
	va_list arguments;

	va_start(arguments, format);
	to->length += (size_t)vsnprintf(
		to->notes + to->length, sizeof(to->notes) - to->length, format, arguments);
	va_end(arguments);
	ck_assert_uint_lt(to->length, sizeof(to->notes));
	to->pending = true;
}

static void note_value(struct writer *writer, const struct d_value_type *type, uint64_t value)
{
	const struct text *text;

	if (!d_value_is_text(type->kind)) {
		value = value_cut(value, type->size, type->is_signed);
		note(writer, type->is_signed ? " int%u:%" PRId64 : " uint%u:%" PRIu64,
			(unsigned)type->size * 8, value);
		return;
	}
	text = value_text(value);
	if (type->kind == D_VALUE_STRING)
		note(writer, " string:%s", text->bytes);
	else if (type->kind == D_VALUE_BYTES)
		note(writer, " bytes:%u", (unsigned)text->length);
	else
		for (uint32_t i = 0; i < place_count(text); i++)
			note(writer, " place:%" PRIu64 ":%#" PRIx64, place_process(text),
				place_address(text, i));
}

static void start(struct writer *writer, const struct writer_run *run)
{
	of(writer)->run = *run;
	note(writer, "start\n");
}

static void begin_clause(struct writer *writer, const struct writer_clause *clause)
{
	static const char *const flows[] = {"", " entry", " return"};

	note(writer, "clause %" PRIu32 " %s:%s:%s:%s cpu %u%s", clause->probe_id,
		clause->probe->provider, clause->probe->module, clause->probe->function,
		clause->probe->name, clause->cpu, flows[clause->flow]);
	if (of(writer)->run.options->flowindent)
		note(writer, " depth %u", clause->depth);
	note(writer, "\n");
}

static void end_clause(struct writer *writer, const struct writer_clause *clause)
{
	note(writer, "end %" PRIu32 "\n", clause->probe_id);
}

static void note_trace(struct writer *writer, const struct d_value_type *type, uint64_t value)
{
	note(writer, "trace");
	note_value(writer, type, value);
	note(writer, "\n");
}

static void note_tracemem(struct writer *writer, const char *bytes, size_t size)
{
	note(writer, "tracemem %.*s\n", (int)size, bytes);
}

static void note_print(struct writer *writer, const struct d_layout *layouts, uint32_t index,
	uint64_t address, const struct text *bytes)
{
	note(writer, "print %s%s %u\n", layouts[index].type, address ? " at an address" : "",
		(unsigned)bytes->length);
}

static void note_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	note(writer, "printf %zu", format->count);
	for (unsigned i = 0; i < action->argument_count; i++)
		note_value(writer, &action->types[i], values[i]);
	note(writer, "\n");
}

static void note_distribution(
	struct writer *writer, const struct aggregate *aggregate, const uint64_t *data)
{
	const struct counts *counts = aggregate_counts(data);

	for (uint32_t i = counts->first; i < counts->first + counts->size; i++) {
		struct distribution_range range = distribution_range(&aggregate->distribution, i);
		if (counts_get(counts, i))
			note(writer, " %" PRId64 "..%" PRId64 ":%" PRId64, range.low, range.high,
				counts_get(counts, i));
	}
}

static void note_rows(struct writer *writer, const struct aggregate_rows *rows)
{
	static const char *const functions[] = {"count", "sum", "min", "max", "avg", "stddev",
		"quantize", "lquantize", "llquantize"};

	for (size_t i = 0; i < rows->aggregate_count; i++)
		note(writer, " @%s=%s", rows->aggregates[i]->definition->name,
			functions[rows->aggregates[i]->definition->function]);
	note(writer, "\n");
	for (size_t i = 0; i < rows->count; i++) {
		const struct aggregate_row *row = &rows->rows[i];
		note(writer, "  row");
		for (unsigned k = 0; k < row->shape->count; k++)
			note_value(writer, &row->shape->types[k], row->keys[k]);
		for (size_t k = 0; k < rows->aggregate_count; k++) {
			const struct aggregate *aggregate = rows->aggregates[k];
			note(writer, " =");
			if (aggregate_is_distribution(aggregate))
				note_distribution(writer, aggregate, row->data[k]);
			else
				note(writer, " %" PRId64,
					aggregate_number(
						aggregate, row->data[k], aggregate->normal));
		}
		note(writer, "\n");
	}
}

static void note_printa(
	struct writer *writer, const struct aggregate_rows *rows, const struct d_format *format)
{
	note(writer, format ? "printa with a format" : "printa");
	note_rows(writer, rows);
}

static void begin_summary(struct writer *writer)
{
	note(writer, "summary\n");
}

static void note_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	note(writer, "left");
	note_rows(writer, rows);
}

static void note_fault(struct writer *writer, const struct writer_fault *fault)
{
	note(writer, "fault clause %" PRIu32 " %s:%" PRIu32, fault->clause, fault->probe->name,
		fault->probe_id);
	if (fault->fault)
		note(writer, " code %d value %#" PRIx64 "%s\n", (int)fault->fault->code,
			fault->fault->value, fault->fault->offset < 0 ? "" : " at an instruction");
	else
		note(writer, " action %d: %s\n", (int)fault->action, fault->text);
}

static void note_drop(struct writer *writer, const struct writer_drop *drop)
{
	note(writer, "drop %d: %" PRIu64, (int)drop->kind, drop->count);
	if (drop_has_cpu(drop->kind))
		note(writer, " cpu %u", drop->cpu);
	note(writer, "\n");
}

static void note_message(struct writer *writer, const char *text)
{
	note(writer, "message %s\n", text);
}

static void note_interrupt(struct writer *writer)
{
	note(writer, "interrupt\n");
}

static void flush(struct writer *writer)
{
	of(writer)->pending = false;
}

static bool is_pending(struct writer *writer)
{
	return of(writer)->pending;
}

static int error_of(struct writer *writer)
{
	(void)of(writer);
	return 0;
}

static const struct writer_operations operations = {.start = start,
	.clause_begin = begin_clause,
	.trace = note_trace,
	.tracemem = note_tracemem,
	.print = note_print,
	.printf = note_printf,
	.printa = note_printa,
	.clause_end = end_clause,
	.summary_begin = begin_summary,
	.summary = note_summary,
	.fault = note_fault,
	.drop = note_drop,
	.message = note_message,
	.interrupt = note_interrupt,
	.flush = flush,
	.is_pending = is_pending,
	.error = error_of};

static void setup(void)
{
	fixture_open(&fixture);
	program = NULL;
	memset(&noting, 0, sizeof(noting));
	noting.writer.operations = &operations;
}

static void teardown(void)
{
	engine_free(fixture.engine);
	fixture.engine = NULL;
	d_program_free(program);
	fixture_close(&fixture);
}

static void begin(const char *script)
{
	struct engine_settings settings = {
		.probes = &fixture.probes, .self = &fixture_self, .writer = &noting.writer};

	program = fixture_compile(&fixture, script);
	settings.program = program;
	ck_assert_int_eq(engine_new(&settings, &fixture.engine), 0);
	engine_begin(fixture.engine, 1000, 0);
}

#define ENTRY "clause 4 vm42::main:method-entry cpu 1\n"

START_TEST(test_values)
{
	begin("BEGIN { x = 0; trace(7); trace((char)-1); trace(\"text\"); uaddr(16); }\n"
	      "vm$target:::method-entry { printf(\"%s took %u\\n\", copyinstr(arg1), arg3); }\n"
	      "vm$target:::method-return { p = (char *)alloca(8); bcopy(\"abcdefg\", p, 7); "
	      "tracemem(p, 8, 3); print((int *)p); }\n");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2010, FIXTURE_RETURN, 9, 1);
	fixture_run(&fixture);
	ck_assert(!noting.pending);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(noting.notes,
		"start\n"
		"clause 1 dtrace:::BEGIN cpu 0\n"
		"trace int32:7\n"
		"trace int8:-1\n"
		"trace string:text\n"
		"trace place:777:0x10\n"
		"end 1\n" ENTRY "printf 3 string:beta int64:5\n"
		"end 4\n"
		"clause 5 vm42::main:method-return cpu 1\n"
		"tracemem abc\n"
		"print int at an address 4\n"
		"end 5\n"
		"summary\n");
}
END_TEST

START_TEST(test_aggregations)
{
	begin("vm$target:::method-entry { @n[copyinstr(arg1), tid] = count(); "
	      "@t[copyinstr(arg1), tid] = avg(timestamp); @q = quantize(timestamp - 2000); "
	      "@l[(char)tid] = lquantize(timestamp, 0, 2010, 10); @s = stddev(4); }\n"
	      "END { printa(\"%s %d %@d %@d\\n\", @n, @t); printa(@q); }\n");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2005, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2007, FIXTURE_ENTRY, 8, 0);
	fixture_event(&fixture, 2107, FIXTURE_ENTRY, 8, 0);
	fixture_run(&fixture);
	engine_end(fixture.engine, 3000);
	ck_assert_str_eq(noting.notes,
		"start\n"
		"clause 2 dtrace:::END cpu 0\n"
		"printa with a format @n=count @t=avg\n"
		"  row string:beta int32:9 = 2 = 2002\n"
		"  row string:alpha int32:8 = 2 = 2057\n"
		"printa @q=quantize\n"
		"  row = 0..0:1 4..7:2 64..127:1\n"
		"end 2\n"
		"summary\n"
		"left @l=lquantize\n"
		"  row int8:9 = 2000..2009:2\n"
		"  row int8:8 = 2000..2009:1 2010..9223372036854775807:1\n"
		"left @s=stddev\n"
		"  row = 0\n");
}
END_TEST

static int refuse(void *context, const char *command, struct error *error)
{
	(void)context;
	return error_set(error, EIO, "%s failed", command);
}

START_TEST(test_faults_and_drops)
{
	static const struct engine_effects effects = {.command = refuse};
	struct event_loss losses[] = {{.count = 3, .cpu = 1}, {.count = 4, .cpu = 1}};
	struct engine_settings settings = {.probes = &fixture.probes,
		.self = &fixture_self,
		.writer = &noting.writer,
		.effects = &effects};

	program = fixture_compile(&fixture,
		"#pragma D option nspec=1\n"
		"BEGIN { x = 0; trace(1); trace(2 / x); }\n"
		"BEGIN { trace(copyinstr(16)); }\n"
		"ERROR { trace(arg4); }\n"
		"vm$target:::method-entry { system(\"do %s\", copyinstr(arg1)); }\n"
		"vm$target:::method-return { self->a = speculation(); self->b = speculation(); "
		"}\n");
	settings.program = program;
	ck_assert_int_eq(engine_new(&settings, &fixture.engine), 0);
	engine_begin(fixture.engine, 1000, 0);
	fixture.batch.losses = losses;
	fixture.batch.loss_count = 2;
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2010, FIXTURE_RETURN, 9, 1);
	fixture_run(&fixture);
	engine_status(fixture.engine);
	engine_status(fixture.engine);
	ck_assert_str_eq(noting.notes,
		"start\n"
		"fault clause 0 BEGIN:1 code 4 value 0 at an instruction\n"
		"clause 3 dtrace:::ERROR cpu 0\n"
		"trace int64:4\n"
		"end 3\n"
		"fault clause 1 BEGIN:1 code 1 value 0x10 at an instruction\n"
		"clause 3 dtrace:::ERROR cpu 0\n"
		"trace int64:1\n"
		"end 3\n" ENTRY "fault clause 3 method-entry:4 action 11: do beta failed\n"
		"end 4\n"
		"drop 0: 7 cpu 1\n"
		"drop 5: 1\n");
}
END_TEST

START_TEST(test_flow_and_speculation)
{
	begin("#pragma D option flowindent\n"
	      "vm$target:::method-entry /arg3 == 5/ { self->s = speculation(); }\n"
	      "vm$target:::method-entry { trace(1); }\n"
	      "vm$target:::method-entry /arg3 == 5/ { speculate(self->s); trace(2); }\n"
	      "vm$target:::method-return { commit(self->s); }\n"
	      "vm$target:::method-return { trace(3); }\n");
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2001, FIXTURE_ENTRY, 9, 1);
	fixture_event(&fixture, 2002, FIXTURE_RETURN, 9, 1);
	fixture_run(&fixture);
	ck_assert_str_eq(noting.notes,
		"start\n"
		"clause 4 vm42::main:method-entry cpu 1 entry depth 0\n"
		"trace int32:1\n"
		"end 4\n"
		"clause 4 vm42::main:method-entry cpu 1 entry depth 1\n"
		"trace int32:1\n"
		"end 4\n"
		"clause 4 vm42::main:method-entry cpu 1 depth 2\n"
		"trace int32:2\n"
		"end 4\n"
		"clause 5 vm42::main:method-return cpu 1 return depth 1\n"
		"trace int32:3\n"
		"end 5\n");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_values);
	tcase_add_test(tests, test_aggregations);
	tcase_add_test(tests, test_faults_and_drops);
	tcase_add_test(tests, test_flow_and_speculation);
}
