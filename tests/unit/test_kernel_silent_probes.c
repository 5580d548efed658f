/*
 * test_kernel_silent_probes.c: which probes have a condition of their runtime's, and what is said
 * of those that have not fired, by the command line and the environment of a process that the test
 * starts, and by the names of mapped files: only if the condition is seen not to hold, and for the
 * first probe of each kind.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/process/silent_probes.h"
#include "unit_main.h"

enum { ARGUMENTS_MAX = 8, PROBES_MAX = 8, NOBODY = 5000000 /* no process has such an id */ };

static struct d_probe_set set;
static uint64_t counters[KERNEL_COUNTER_SITES];
static struct kernel_silence silence;
static pid_t child;
static int to_child;

static void setup(void)
{
	ck_assert_int_eq(d_probe_set_init(&set), 0);
	memset(counters, 0, sizeof(counters));
	silence = (struct kernel_silence){0};
}

static void end_child(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		close(to_child);
	}
	child = 0;
}

static void teardown(void)
{
	end_child();
	d_probe_set_free(&set);
}

/* Runs a program with this environment; its command line has these words besides others. */
static void begin_child(const char *const *words, const char *const *environment)
{
	char *arguments[ARGUMENTS_MAX] = {(char *)"runtime", (char *)"-c", (char *)"echo; read x"};
	int down[2], up[2];
	char byte;

	for (unsigned i = 0; i < ARGUMENTS_MAX - 4 && words[i]; i++)
		arguments[3 + i] = (char *)(uintptr_t)words[i];
	ck_assert_int_eq(pipe2(down, O_CLOEXEC), 0);
	ck_assert_int_eq(pipe2(up, O_CLOEXEC), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(down[0], 0) >= 0 && dup2(up[1], 1) >= 0)
			execve("/bin/sh", arguments, (char **)(uintptr_t)environment);
		_exit(1);
	}
	close(down[0]);
	close(up[1]);
	to_child = down[1];
	ck_assert_int_eq(read(up[0], &byte, 1), 1); /* it runs */
	close(up[0]);
}

static uint32_t add_probe(const char *provider, const char *name)
{
	const struct d_probe probe = {.provider = (char *)(uintptr_t)provider,
		.module = (char[]){"m"},
		.function = (char[]){"f"},
		.name = (char *)(uintptr_t)name};
	long index = d_probe_set_add(&set, &probe);

	ck_assert_int_ge(index, 0);
	return (uint32_t)index;
}

/* The sites of these probes, up to NULL, are attached to in a process that has a file mapped. */
static void begin(uint32_t pid, const char *file, const char *const (*probes)[2])
{
	struct kernel_file files[] = {{.name = "libc.so.6"}, {.name = file}};
	const struct kernel_target target = {.pid = pid, .files = files, .file_count = 2};
	uint32_t numbers[PROBES_MAX];
	size_t count = 0;

	for (; probes[count][0]; count++) {
		ck_assert_uint_lt(count, PROBES_MAX);
		numbers[count] = add_probe(probes[count][0], probes[count][1]);
	}
	ck_assert_int_eq(kernel_silence_begin(&silence, &target, &set, numbers, count), 0);
}

/* What is said; "": nothing. */
static const char *tell(void)
{
	static char message[512];

	*message = '\0';
	return kernel_silence_tell(&silence, counters, &set, message, sizeof(message)) ? message
										       : "";
}

static bool tells(const char *beginning)
{
	return !strncmp(tell(), beginning, strlen(beginning));
}

/* ---- which probes ---- */

static const struct {
	const char *provider, *name;
	int rule; /* -1: none */
} probes[] = {
	{"php123", "function-entry", 0},
	{"php123", "execute-return", 0},
	{"php123", "compile-file-entry", 0},
	{"php", "function-return", 0},
	{"php123", "request-startup", -1},
	{"php123", "function-entry-x", -1},
	{"phpx123", "function-entry", -1},
	{"xphp123", "function-entry", -1},
	{"php123x", "function-entry", -1},
	{"hotspot7", "method-entry", 1},
	{"hotspot7", "method-return", 1},
	{"hotspot7", "object-alloc", 2},
	{"hotspot7", "monitor-wait", 3},
	{"hotspot7", "gc-begin", -1},
	{"hotspot_jni7", "method-entry", -1},
	{"ruby7", "method-entry", 4},
	{"ruby7", "cmethod-entry", -1},
	{"python7", "function-entry", 5},
	{"python7", "function-return", -1},
	{"python7", "line", -1},
	{"vm7", "method-entry", -1},
};

START_TEST(counter)
{
	const struct d_probe *probe = &set.probes[add_probe(probes[_i].provider, probes[_i].name)];

	ck_assert_uint_eq(kernel_silence_counter(probe),
		probes[_i].rule < 0 ? 0 : KERNEL_COUNTER_HITS + (uint32_t)probes[_i].rule);
}
END_TEST

/* ---- conditions ---- */

#define PHP "php:::function-entry has not fired: PHP fires it only if USE_ZEND_DTRACE=1 "
#define METHOD "hotspot:::method-entry has not fired: the JVM fires it only if "
#define ALLOC "hotspot:::object-alloc has not fired: the JVM fires it only if "
#define MONITOR "hotspot:::monitor-wait has not fired: the JVM fires it only if "

static const struct {
	const char *provider, *name;
	const char *words[4], *environment[4];
	const char *begin; /* of what is said; NULL: nothing */
} conditions[] = {
	{"php", "function-entry", {NULL}, {NULL}, PHP},
	{"php", "function-entry", {NULL}, {"A=1", "USE_ZEND_DTRACE=0", "B=1"}, PHP},
	{"php", "function-entry", {NULL}, {"A=1", "USE_ZEND_DTRACE=1", "B=1"}, NULL},
	{"php", "function-entry", {NULL}, {"USE_ZEND_DTRACE=2"}, NULL},
	{"php", "function-entry", {NULL}, {"USE_ZEND_DTRACE="}, PHP},
	{"php", "function-entry", {NULL}, {"NOT_USE_ZEND_DTRACE=1", "A=USE_ZEND_DTRACE=1"}, PHP},
	{"php", "function-entry", {"USE_ZEND_DTRACE=1"}, {"A=1"}, PHP},
	{"php", "request-startup", {NULL}, {NULL}, NULL},
	{"hotspot", "method-entry", {"Main"}, {"A=1"}, METHOD},
	{"hotspot", "method-entry", {"-XX:+ExtendedDTraceProbes", "Main"}, {"A=1"}, NULL},
	{"hotspot", "method-entry", {"-XX:+DTraceMethodProbes", "Main"}, {"A=1"}, NULL},
	{"hotspot", "method-entry", {"-XX:+DTraceAllocProbes", "Main"}, {"A=1"}, METHOD},
	{"hotspot", "method-entry", {"-XX:-ExtendedDTraceProbes"}, {"A=1"}, METHOD},
	{"hotspot", "object-alloc", {"-XX:+DTraceMethodProbes"}, {"A=1"}, ALLOC},
	{"hotspot", "object-alloc", {"-XX:+DTraceAllocProbes"}, {"A=1"}, NULL},
	{"hotspot", "monitor-wait", {"-XX:+DTraceMethodProbes"}, {"A=1"}, MONITOR},
	{"hotspot", "monitor-wait", {"-XX:+DTraceMonitorProbes"}, {"A=1"}, NULL},
	/* a word may be empty */
	{"hotspot", "method-entry", {"", "-XX:+ExtendedDTraceProbes", "Main"}, {"A=1"}, NULL},
	{"php", "function-entry", {NULL}, {"", "USE_ZEND_DTRACE=1"}, NULL},
	/* options that are in files */
	{"hotspot", "method-entry", {"@options"}, {"A=1"}, NULL},
	{"hotspot", "method-entry", {"-XX:Flags=x"}, {"A=1"}, NULL},
	{"hotspot", "method-entry", {"-XX:VMOptionsFile=x"}, {"A=1"}, NULL},
	{"hotspot", "method-entry", {"a@b"}, {"A=1"}, METHOD},
	/* and in the environment */
	{"hotspot", "method-entry", {"Main"}, {"JAVA_TOOL_OPTIONS=-Xmx1g"}, METHOD},
	{"hotspot", "method-entry", {"Main"},
		{"JAVA_TOOL_OPTIONS=-Xmx1g -XX:+ExtendedDTraceProbes"}, NULL},
	{"hotspot", "method-entry", {"Main"}, {"A=1", "_JAVA_OPTIONS=-XX:+DTraceMethodProbes"},
		NULL},
	{"hotspot", "method-entry", {"Main"}, {"JDK_JAVA_OPTIONS=@file"}, NULL},
	{"hotspot", "method-entry", {"Main"}, {"OPTIONS=-XX:+ExtendedDTraceProbes"}, METHOD},
};

START_TEST(condition)
{
	const char *const names[][2] = {{conditions[_i].provider, conditions[_i].name}, {NULL}};
	const char *wanted = conditions[_i].begin;

	begin_child(conditions[_i].words, conditions[_i].environment);
	begin((uint32_t)child, "runtime", names);
	ck_assert_msg(wanted ? tells(wanted) : !*tell(), "%d: \"%s\"", _i, tell());
}
END_TEST

static const struct {
	const char *file, *provider, *name, *also; /* another probe of the provider */
	bool is_told;
} files[] = {
	{"libruby-3.1.so.3.1.2", "ruby", "method-entry", NULL, true},
	{"libruby.so.3.2", "ruby", "method-return", NULL, true},
	{"libruby-2.4.so.2.4", "ruby", "method-entry", NULL, false},
	{"ruby", "ruby", "method-entry", NULL, false},
	{"python3.11", "python", "function-entry", NULL, true},
	{"python3.11", "python", "function-entry", "function-return", true},
	{"python3.11", "python", "function-entry", "line", false},
	{"python3.10", "python", "function-entry", NULL, false},
};

START_TEST(mapped_file)
{
	const char *const names[][2] = {{files[_i].provider, files[_i].name},
		{files[_i].also ? files[_i].provider : NULL, files[_i].also}, {NULL}};

	begin((uint32_t)getpid(), files[_i].file, names);
	ck_assert_msg(!*tell() == !files[_i].is_told, "%d: \"%s\"", _i, tell());
}
END_TEST

/* Nothing is said of a process whose environment nobody can see. */
START_TEST(unknown_conditions)
{
	static const char *const names[][2] = {{"php", "function-entry"},
		{"hotspot", "method-entry"}, {"hotspot", "object-alloc"},
		{"hotspot", "monitor-wait"}, {NULL}};
	static const char *const none[] = {NULL};

	begin(NOBODY, "runtime", names);
	ck_assert_str_eq(tell(), "");
	begin_child(none, none);
	kill(child, SIGKILL);
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT), 0);
	begin((uint32_t)child, "runtime", names);
	ck_assert_str_eq(tell(), "");
}
END_TEST

/* Nor of one whose environment is too long to be read: the variable may be in the rest. */
START_TEST(a_long_environment)
{
	static const char *const names[][2] = {{"php", "function-entry"}, {NULL}};
	static const char *const none[] = {NULL};
	static char text[(1 << 16) + 1];
	const char *const variables[] = {text, "USE_ZEND_DTRACE=1", NULL};

	memset(text, 'x', sizeof(text) - 1);
	begin_child(none, variables);
	begin((uint32_t)child, "runtime", names);
	ck_assert_str_eq(tell(), "");
}
END_TEST

/* ---- what is said ---- */

/* A probe that fires needs no explanation, unless it fires for a part only. */
START_TEST(probes_that_have_fired)
{
	static const char *const names[][2] = {
		{"ruby7", "method-entry"}, {"python7", "function-entry"}, {NULL}};

	begin((uint32_t)getpid(), "libruby-3.1.so python3.11", names);
	ck_assert(tells("ruby7:::method-entry has not fired: "));
	counters[KERNEL_COUNTER_HITS + 4] = 1;
	ck_assert(tells("python7:::function-entry fires for generators only: "));
	counters[KERNEL_COUNTER_HITS + 5] = 1;
	ck_assert(tells("python7:::function-entry fires for generators only: "));
}
END_TEST

START_TEST(the_first_probe_is_named)
{
	static const char *const names[][2] = {{"ruby7", "gc-start"}, {"ruby7", "method-return"},
		{"ruby7", "method-entry"}, {NULL}};
	static const char *const later[][2] = {{"ruby8", "method-entry"}, {NULL}};

	begin((uint32_t)getpid(), "libruby-3.1.so", names);
	ck_assert(tells("ruby7:::method-return has not fired: "));
	begin((uint32_t)getpid(), "libruby-3.1.so", later);
	ck_assert(tells("ruby7:::method-return has not fired: "));
}
END_TEST

START_TEST(no_probe_has_a_condition)
{
	static const char *const names[][2] = {{"ruby7", "gc-start"}, {NULL}};

	begin((uint32_t)getpid(), "libruby-3.1.so", names);
	ck_assert_str_eq(tell(), "");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, counter, 0, sizeof(probes) / sizeof(*probes));
	tcase_add_loop_test(tests, condition, 0, sizeof(conditions) / sizeof(*conditions));
	tcase_add_loop_test(tests, mapped_file, 0, sizeof(files) / sizeof(*files));
	tcase_add_test(tests, unknown_conditions);
	tcase_add_test(tests, a_long_environment);
	tcase_add_test(tests, probes_that_have_fired);
	tcase_add_test(tests, the_first_probe_is_named);
	tcase_add_test(tests, no_probe_has_a_condition);
}
