/*
 * test_target_spec.c: what does not go together in a specification of targets, each with its text,
 * and what each verb takes; without any process. And the states of a target: every event in every
 * state.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "targets/target_spec.h"
#include "targets/target_state.h"
#include "targets/targets.h"
#include "unit_main.h"

/* What a row of the tests gives: letters p, c, s, l, w, f for -p, -c, --socket, --log, --wait and
 * --follow; k for --via=kernel and t for --via=stream. */
static struct target_spec spec_of(const char *letters)
{
	static char *words[] = {(char *)"true", NULL};
	struct target_spec spec = {.items = NULL};
	uint32_t pid = 10;

	for (; *letters; letters++) {
		if (*letters == 'p')
			ck_assert_int_eq(target_spec_add_pid(&spec, pid++), 0);
		else if (*letters == 'c')
			ck_assert_int_eq(
				target_spec_add_command(&spec, command_words_of(words)), 0);
		else if (*letters == 's')
			ck_assert_int_eq(target_spec_add_socket(&spec, "/run/x"), 0);
		else if (*letters == 'l')
			spec.log = "x.log";
		else if (*letters == 'w')
			spec.name = "ruby";
		else if (*letters == 'k')
			spec.via = TARGET_VIA_KERNEL;
		else if (*letters == 't')
			spec.via = TARGET_VIA_STREAM;
		else
			spec.follows = true;
	}
	return spec;
}

START_TEST(test_conflicts)
{
	static const struct {
		const char *letters, *text; /* NULL: it goes together */
	} rows[] = {
		{"", NULL},
		{"p", NULL},
		{"ppc", NULL},
		{"c", NULL},
		{"s", NULL},
		{"l", NULL},
		{"w", NULL},
		{"pf", NULL},
		{"cpf", NULL},
		{"lp", "a recording (--log) is traced alone"},
		{"lc", "a recording (--log) is traced alone"},
		{"ls", "a recording (--log) is traced alone"},
		{"wf", "only one of --wait NAME and --follow"},
		{"wp", "--wait NAME says what to trace"},
		{"wc", "--wait NAME says what to trace"},
		{"wl", "--wait NAME says what to trace"},
		{"ws", "--wait NAME says what to trace"},
		{"f", "--follow follows what"},
		{"lf", "--follow follows what"},
		{"sf", "--follow follows what"},
		{"sp", "what --socket names is traced alone"},
		{"ss", "what --socket names is traced alone"},
		{"scf", "--follow follows what"},
		{"k", NULL},
		{"pk", NULL},
		{"pcfk", NULL},
		{"wk", "--wait NAME finds VMs by their event streams: not with --via=kernel"},
		{"sk", "--socket is where an event stream is served: not with --via=kernel"},
		{"lk", "a recording (--log) has the events that it has: not with --via=kernel"},
		{"lpk", "a recording (--log) is traced alone"},
		{"wt", NULL},
		{"st", NULL},
		{"lt", NULL},
		{"pft", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct target_spec spec = spec_of(rows[i].letters);
		struct error error = {""};
		int result = target_spec_check(&spec, "trace", &error);

		ck_assert_msg(
			result == (rows[i].text ? -EINVAL : 0), "%s: %d", rows[i].letters, result);
		ck_assert_msg(!rows[i].text || strstr(error.text, rows[i].text), "%s: %s",
			rows[i].letters, error.text);
		target_spec_free(&spec);
	}
}
END_TEST

START_TEST(test_twice)
{
	struct target_spec spec = {.items = NULL};

	ck_assert_int_eq(target_spec_add_pid(&spec, 7), 0);
	ck_assert_int_eq(target_spec_add_pid(&spec, 8), 0);
	ck_assert_int_eq(target_spec_add_pid(&spec, 7), -EEXIST);
	ck_assert_uint_eq(spec.count, 2);
	target_spec_free(&spec);
}
END_TEST

/* A verb that does not take a kind says what it takes. */
START_TEST(test_verbs)
{
	static const struct {
		const char *verb, *letters, *text;
	} rows[] = {
		{"record", "p", NULL},
		{"record", "c", NULL},
		{"record", "s", NULL},
		{"record", "l", "--log: record writes a log"},
		{"record", "pf", NULL},
		{"record", "pk", NULL},
		{"record", "w", NULL},
		{"record", "", "one of -p, -c, --wait, --socket and -- COMMAND says what"},
		{"record", "pc", "one of -p, -c, --wait, --socket and -- COMMAND says what"},
		{"record", "ps", "one of -p, -c, --wait, --socket and -- COMMAND says what"},
		{"record", "f", "--follow follows what"},
		{"flame", "p", NULL},
		{"flame", "l", NULL},
		{"flame", "c", NULL},
		{"flame", "pf", NULL},
		{"flame", "k", NULL},
		{"flame", "wk", "--wait NAME finds VMs"},
		{"heap", "c", NULL},
		{"heap", "p", NULL},
		{"heap", "l", NULL},
		{"heap", "", "one PID or LOG is needed"},
		{"heap", "s", NULL},
		{"heap", "w", NULL},
		{"heap", "pf", "--follow: a heap is that of one VM"},
		{"dump", "l", "--log: dump shows what runs now"},
		{"dump", "c", "-c: dump shows what runs already"},
		{"dump", "w", "--wait: dump shows what runs now"},
		{"dump", "", "no process is named"},
		{"dump", "p", NULL},
		{"top", "", NULL},
		{"top", "l", "--log: a recording has ended; 'vmtap flame' and"},
		{"top", "lp", "--log: a recording has ended; 'vmtap flame' and"},
		{"export", "l", NULL},
		{"export", "p", "export does not take a PID yet: it takes a LOG"},
		{"serve", "", NULL},
		{"serve", "l", NULL},
		{"list", "", NULL},
		{"list", "p", NULL},
		{"nosuch", "p", "nosuch does not take a PID yet"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct target_spec spec = spec_of(rows[i].letters);
		struct error error = {""};
		int result = target_spec_check(&spec, rows[i].verb, &error);

		ck_assert_msg(result == (rows[i].text ? -EINVAL : 0), "%s %s: %d %s", rows[i].verb,
			rows[i].letters, result, error.text);
		ck_assert_msg(
			!rows[i].text || !strncmp(error.text, rows[i].text, strlen(rows[i].text)),
			"%s %s: %s", rows[i].verb, rows[i].letters, error.text);
		target_spec_free(&spec);
	}
	ck_assert_uint_eq(target_verb_kinds("check"), 0);
}
END_TEST

/* Nothing is open before it has been opened: no descriptor is 0, the standard input. */
START_TEST(test_descriptors)
{
	struct target_spec spec = spec_of("pfk");
	struct targets targets;

	ck_assert_int_eq(
		targets_init(&targets, &spec, &(struct target_reports){.message = NULL}), 0);
	ck_assert_int_eq(targets_descriptor(&targets), -1);
	ck_assert_int_eq(targets.vms.wait, -1);
	ck_assert_int_eq(targets.ends, -1);
	targets_close(&targets);
	ck_assert_int_eq(targets.vms.wait, -1);
	ck_assert_int_eq(fcntl(0, F_GETFD) < 0, 0);
	target_spec_free(&spec);
}
END_TEST

/* What the state machine of target_state.h draws, and nothing else. */
START_TEST(test_states)
{
	static const struct {
		enum target_state state;
		enum target_event event;
		enum target_state next;
	} steps[] = {
		{TARGET_GIVEN, TARGET_CREATE, TARGET_CREATED},
		{TARGET_GIVEN, TARGET_FIND, TARGET_RUNNING},
		{TARGET_GIVEN, TARGET_END, TARGET_ENDED},
		{TARGET_CREATED, TARGET_START, TARGET_RUNNING},
		{TARGET_CREATED, TARGET_ENABLE, TARGET_ENABLED},
		{TARGET_CREATED, TARGET_END, TARGET_ENDED},
		{TARGET_RUNNING, TARGET_HOLD, TARGET_HELD},
		{TARGET_RUNNING, TARGET_ENABLE, TARGET_RELEASED},
		{TARGET_RUNNING, TARGET_END, TARGET_ENDED},
		{TARGET_HELD, TARGET_RESUME, TARGET_RUNNING},
		{TARGET_HELD, TARGET_ENABLE, TARGET_ENABLED},
		{TARGET_HELD, TARGET_END, TARGET_ENDED},
		{TARGET_ENABLED, TARGET_RELEASE, TARGET_RELEASED},
		{TARGET_ENABLED, TARGET_END, TARGET_ENDED},
		{TARGET_RELEASED, TARGET_END, TARGET_ENDED},
	};

	for (int state = 0; state < TARGET_STATES; state++)
		for (int event = 0; event < TARGET_EVENTS; event++) {
			int expected = -EPROTO;

			for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
				if ((int)steps[i].state == state && (int)steps[i].event == event)
					expected = (int)steps[i].next;
			ck_assert_msg(target_state_next((enum target_state)state,
					      (enum target_event)event) == expected,
				"%s, %s", target_state_name((enum target_state)state),
				target_event_name((enum target_event)event));
		}
	ck_assert_int_eq(target_state_next(TARGET_STATES, TARGET_END), -EPROTO);
	ck_assert_int_eq(target_state_next(TARGET_HELD, TARGET_EVENTS), -EPROTO);
	ck_assert_str_eq(target_state_name(TARGET_HELD), "held");
	ck_assert_str_eq(target_event_name(TARGET_RESUME), "resume");
}
END_TEST

/* Every state and event has a name of its own, and every state but the last can end. */
START_TEST(test_names)
{
	for (int i = 0; i < TARGET_STATES; i++) {
		const char *name = target_state_name((enum target_state)i);

		for (int j = 0; j < i; j++)
			ck_assert_str_ne(name, target_state_name((enum target_state)j));
		ck_assert_int_eq(target_state_next((enum target_state)i, TARGET_END),
			i == TARGET_ENDED ? -EPROTO : (int)TARGET_ENDED);
	}
	for (int i = 0; i < TARGET_EVENTS; i++)
		for (int j = 0; j < i; j++)
			ck_assert_str_ne(target_event_name((enum target_event)i),
				target_event_name((enum target_event)j));
	ck_assert_str_eq(target_state_name(TARGET_STATES), "?");
	ck_assert_str_eq(target_event_name(TARGET_EVENTS), "?");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_conflicts);
	tcase_add_test(tests, test_twice);
	tcase_add_test(tests, test_verbs);
	tcase_add_test(tests, test_descriptors);
	tcase_add_test(tests, test_states);
	tcase_add_test(tests, test_names);
}
