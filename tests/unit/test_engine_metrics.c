/*
 * test_engine_metrics.c: the pages of the metrics writer (engine/output/metrics_writer.h): the
 * label that says what the VM of a process is stays as it was when its row was first shown.
 */
#include "engine_fixture.h"

#include <stdio.h>

#include "engine/output/metrics_writer.h"
#include "unit_main.h"

enum {
	TOLD = 1 << 30, /* pids that no process has; runtime_of() is called for the others */
	ASKED = TOLD + 1024,
	UNKNOWN = ASKED + 1024,
	MANY = 3000
};

static struct fixture fixture;
static struct d_program *program;
static struct metrics_writer metrics;
static char *page;
static unsigned asked;

static void publish(void *context, const struct metrics_page *made)
{
	(void)context;
	free(page);
	page = strndup(made->openmetrics, made->openmetrics_size);
}

static void runtime_of(uint64_t pid, char *runtime, size_t size)
{
	asked++;
	snprintf(runtime, size, "%s", pid == UNKNOWN ? "" : "asked 1");
}

static void setup(void)
{
	fixture_open(&fixture);
	asked = 0;
	ck_assert_int_eq(metrics_writer_init(&metrics,
				 &(struct metrics_settings){.output = fixture.output,
					 .messages = fixture.messages,
					 .series_max = MANY,
					 .publish = publish,
					 .runtime_of = runtime_of}),
		0);
	program = fixture_compile(&fixture, "vm*:::method-entry { @n[pid] = count(); }\n");
	ck_assert_int_eq(engine_new(&(struct engine_settings){.program = program,
					    .probes = &fixture.probes,
					    .self = &fixture_self,
					    .writer = &metrics.derived.text.writer},
				 &fixture.engine),
		0);
	engine_begin(fixture.engine, 1000, 0);
}

static void teardown(void)
{
	fixture_close(&fixture);
	metrics_writer_free(&metrics);
	d_program_free(program);
	free(page);
	page = NULL;
}

static void fire(uint32_t pid)
{
	const struct event_process process = {.pid = pid, .execname = "vm"};

	fixture.batch.processes = &process;
	fixture_event(&fixture, 2000, FIXTURE_ENTRY, 9, 1);
	fixture_run(&fixture);
}

static void tell(uint32_t pid, const char *runtime)
{
	metrics_writer_note_process(&metrics.derived.text.writer,
		&(struct event_process){.pid = pid, .runtime = runtime});
}

static void show(void)
{
	engine_snapshot(fixture.engine);
	ck_assert_ptr_nonnull(page);
}

static void has(uint32_t pid, const char *runtime)
{
	char line[128];

	snprintf(line, sizeof(line), "vmtap_n_total{pid=\"%u\",runtime=\"%s\"} ", pid, runtime);
	ck_assert_msg(strstr(page, line) != NULL, "no %s in\n%.999s", line, page);
}

START_TEST(test_told)
{
	tell(TOLD, "toy 1.0");
	fire(TOLD);
	fire(ASKED);
	fire(UNKNOWN);
	for (unsigned i = 0; i < 3; i++) {
		show();
		has(TOLD, "toy 1.0");
		has(ASKED, "asked 1");
		has(UNKNOWN, "");
		/* a runtime that becomes known later does not change the label */
		tell(TOLD, "toy 2.0");
		tell(ASKED, "toy 2.0");
		tell(UNKNOWN, "toy 2.0");
	}
	ck_assert_uint_eq(asked, 2);
}
END_TEST

/* More processes than the table has room for at first, in an order in which they have to move. */
START_TEST(test_many)
{
	for (unsigned i = 0; i < MANY; i++) {
		uint32_t pid = UNKNOWN + 1 + i * 7 % MANY;
		char runtime[32];

		snprintf(runtime, sizeof(runtime), "toy %u", pid);
		if (i % 2)
			tell(pid, runtime);
		fire(pid);
	}
	for (unsigned round = 0; round < 2; round++) {
		show();
		for (unsigned i = 0; i < MANY; i++) {
			uint32_t pid = UNKNOWN + 1 + i * 7 % MANY;
			char runtime[32];

			snprintf(runtime, sizeof(runtime), "toy %u", pid);
			has(pid, i % 2 ? runtime : "asked 1");
		}
	}
	ck_assert_uint_eq(asked, MANY / 2);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, test_told);
	tcase_add_test(tests, test_many);
}
