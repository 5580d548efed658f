/*
 * test_shim_names.c: names for VMs without a table of symbols: vmtap_name_intern() gives one name
 * for each text, on all threads, in signal handlers and after fork(); VMTAP_NAME_ONCE() uses no id.
 */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "base/keyed_hash.h"
#include "shim/core/budget.h"
#include "shim/core/name.h"
#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { THREADS = 8, TEXTS = 3000, ONCE = 200000 };

static struct vmtap_name *intern(const char *text)
{
	return vmtap_name_intern(text, strlen(text));
}

START_TEST(one_name_for_each_text)
{
	static const char text[] = "ClassMethod";
	struct vmtap_name *class = vmtap_name_intern(text, 5);
	struct vmtap_name *method = vmtap_name_intern(text + 5, 6);
	char moved[] = "Class";

	ck_assert_str_eq(class->text, "Class");
	ck_assert_uint_eq(class->length, 5);
	ck_assert_str_eq(method->text, "Method");
	ck_assert_ptr_ne(class, method);
	ck_assert_uint_ne(class->id, 0);
	ck_assert_uint_ne(class->id, method->id);
	ck_assert_ptr_eq(intern(moved), class);
	/* The text is a copy. */
	moved[0] = 'c';
	ck_assert_str_eq(class->text, "Class");
	ck_assert_ptr_ne(intern(moved), class);
	ck_assert_str_eq(intern("")->text, "");
	ck_assert_ptr_eq(intern(""), vmtap_name_intern(text, 0));
	/* Beginnings and NULs count. */
	ck_assert_ptr_ne(vmtap_name_intern("Class\0", 6), class);
	ck_assert_ptr_ne(vmtap_name_intern("Clas", 4), class);
	uint32_t length;
	ck_assert_str_eq(name_text(class->id, &length), "Class");
	ck_assert_uint_eq(length, 5);
}
END_TEST

/* Texts of two words, the second chosen after the first, so that a hash without a key that takes
 * one word after the other is the same for all. */
static void chosen_text(char text[16], uint64_t number)
{
	uint64_t state = ((16 ^ number) * UINT64_C(0x9e3779b97f4a7c15));

	state ^= state >> 32;
	memcpy(text, &number, 8);
	memcpy(text + 8, &state, 8);
}

START_TEST(chosen_texts_do_not_collide)
{
	enum { COUNT = 20000 };
	uint64_t distance = 0;
	char text[16];

	for (uint64_t i = 0; i < COUNT; i++) {
		chosen_text(text, i);
		const struct vmtap_name *name = vmtap_name_intern(text, sizeof(text));
		ck_assert_mem_eq(name->text, text, sizeof(text));
		distance += name_distance(name);
	}
	ck_assert_msg(distance < COUNT, "%lu slots are passed for %d names",
		(unsigned long)distance, (int)COUNT);
}
END_TEST

/* The value that the authors of the algorithm give for their example. */
START_TEST(the_hash_is_siphash)
{
	struct keyed_hash_key key, other = keyed_hash_key(), again = keyed_hash_key();
	char text[15];

	for (unsigned i = 0; i < sizeof(key); i++)
		((char *)&key)[i] = (char)i;
	for (unsigned i = 0; i < sizeof(text); i++)
		text[i] = (char)i;
	ck_assert_uint_eq(keyed_hash(key, text, sizeof(text), 2, 4), UINT64_C(0xa129ca6149be45e5));
	ck_assert_mem_eq(&other, &again, sizeof(other));
	ck_assert(other.words[0] && other.words[1] && other.words[0] != other.words[1]);
}
END_TEST

START_TEST(a_text_at_the_end_of_memory)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *end = memory + 4096;

	ck_assert_ptr_ne(memory, MAP_FAILED);
	ck_assert_int_eq(mprotect(end, 4096, PROT_NONE), 0);
	memset(memory, 'x', 4096);
	for (size_t length = 0; length < 40; length++)
		ck_assert_uint_eq(vmtap_name_intern(end - length, length)->length, length);
	/* Longer texts are cut. */
	ck_assert_uint_eq(vmtap_name_intern(memory, 4096)->length, NAME_LENGTH_MAX);
	ck_assert_ptr_eq(vmtap_name_intern(memory, 4096), vmtap_name_intern(memory, 4050));
	munmap(memory, 8192);
}
END_TEST

/* All threads intern the same texts at once, each in another order. */
static struct vmtap_name *found[THREADS][TEXTS];
static atomic_uint waiting;

static void *intern_all(void *argument)
{
	unsigned thread = (unsigned)(uintptr_t)argument;

	atomic_fetch_add(&waiting, 1);
	while (atomic_load(&waiting) < THREADS)
		sched_yield();
	for (unsigned i = 0; i < TEXTS; i++) {
		unsigned number = (i + thread % 2 * TEXTS / 2) % TEXTS;
		char text[32];
		int length = snprintf(text, sizeof(text), "text %u", number);

		found[thread][number] = vmtap_name_intern(text, (size_t)length);
	}
	return NULL;
}

START_TEST(many_threads_get_the_same_names)
{
	pthread_t threads[THREADS];

	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(
			pthread_create(&threads[i], NULL, intern_all, (void *)(uintptr_t)i), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < TEXTS; i++) {
		char text[32];

		snprintf(text, sizeof(text), "text %u", i);
		ck_assert_str_eq(found[0][i]->text, text);
		for (unsigned j = 1; j < THREADS; j++)
			ck_assert_ptr_eq(found[j][i], found[0][i]);
		if (i)
			ck_assert_uint_ne(found[0][i]->id, found[0][i - 1]->id);
	}
}
END_TEST

static volatile sig_atomic_t handled;

static void on_signal(int number)
{
	char text[32];
	int length = snprintf(text, sizeof(text), "in a handler %d", handled % 1000);

	(void)number;
	if (intern("both")->length == 4 && vmtap_name_intern(text, (size_t)length)->id)
		handled++;
}

START_TEST(signal_handlers_may_intern)
{
	const struct itimerval often = {{0, 100}, {0, 100}}, never = {{0, 0}, {0, 0}};
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	struct vmtap_name *both = intern("both");

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (unsigned i = 0; handled < 1000; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), "outside %u", i % 100000);

		ck_assert_str_eq(vmtap_name_intern(text, (size_t)length)->text, text);
		ck_assert_ptr_eq(intern("both"), both);
	}
	setitimer(ITIMER_REAL, &never, NULL);
}
END_TEST

START_TEST(a_child_has_the_same_names)
{
	struct vmtap_name *before = intern("before");
	uint32_t id = before->id;
	pid_t child = fork();
	int status;

	if (!child) {
		bool same = intern("before") == before && before->id == id;
		struct vmtap_name *own = intern("in the child");

		_exit(same && own->id > id && own == intern("in the child") ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	ck_assert_ptr_eq(intern("before"), before);
}
END_TEST

/* With the least room: what was interned stays, new texts get the name that says so. */
START_TEST(no_room)
{
	const struct vmtap_options options = {.size = sizeof(options), .name_bytes = 1};
	struct vmtap_name *first;
	unsigned i = 0;

	ck_assert_int_eq(vmtap_start(&options), 0);
	first = intern("first");
	for (;; i++) {
		char text[32];
		int length = snprintf(text, sizeof(text), "text %u", i);
		struct vmtap_name *name = vmtap_name_intern(text, (size_t)length);

		if (strcmp(name->text, text) != 0) {
			ck_assert_str_eq(name->text, "(no room for names)");
			ck_assert_ptr_eq(intern("another"), name);
			break;
		}
	}
	ck_assert_uint_gt(i, 1000);
	ck_assert_ptr_eq(intern("first"), first);
	ck_assert_str_eq(intern("text 7")->text, "text 7");
}
END_TEST

/* The table is taken from the budget; if that is used up, there is no room, and no crash. */
START_TEST(no_memory)
{
	const struct vmtap_options options = {
		.size = sizeof(options), .memory_bytes = BUDGET_BYTES_MIN};
	uint64_t left;

	ck_assert_int_eq(vmtap_start(&options), 0);
	left = budget_left();
	ck_assert(budget_take(BUDGET_TYPES, left));
	ck_assert_str_eq(intern("text")->text, "(no room for names)");
	ck_assert(budget_refused_uses() & 1u << BUDGET_NAMES);
	budget_give(left);
	ck_assert_str_eq(intern("text")->text, "text");
}
END_TEST

/* ---- in events ---- */

static struct {
	uint64_t events, wrong;
	uint64_t ids;
	uint32_t first_id;
} seen;

static void check_event(struct reader *reader, const struct reader_event *event)
{
	char expected[32];

	(void)reader;
	snprintf(expected, sizeof(expected), "method %u", (unsigned)event->arguments[3].value);
	seen.wrong += strcmp(event->arguments[0].text, "Class") != 0;
	seen.wrong += strcmp(event->arguments[1].text, expected) != 0;
	seen.wrong += strcmp(event->arguments[2].text, "a file") != 0;
	seen.events++;
}

static void *fire(void *argument)
{
	for (int i = 0; i < ONCE; i++) {
		char method[32];
		int length = snprintf(method, sizeof(method), "method %d", i);

		VMTAP_METHOD_ENTRY(vmtap_name_intern("Class-", 5), VMTAP_NAME_ONCE(method, length),
			intern("a file"), i, 1);
	}
	return argument;
}

START_TEST(events_carry_them)
{
	static struct reader reader;
	struct vmtap_name *before;
	pthread_t thread;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, WIRE_LOSSLESS));
	before = intern("before");
	reader.on_event = check_event;
	ck_assert_int_eq(pthread_create(&thread, NULL, fire, NULL), 0);
	while (seen.events < ONCE)
		ck_reader(&reader, reader_step(&reader, 1000));
	pthread_join(thread, NULL);
	ck_assert_uint_eq(seen.events, ONCE);
	ck_assert_uint_eq(seen.wrong, 0);
	/* "Class", "a file" and this one: texts that were used once took no id. */
	ck_assert_uint_eq(intern("after")->id, before->id + 3);
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_add_test(tests, one_name_for_each_text);
	tcase_add_test(tests, chosen_texts_do_not_collide);
	tcase_add_test(tests, the_hash_is_siphash);
	tcase_add_test(tests, a_text_at_the_end_of_memory);
	tcase_add_test(tests, many_threads_get_the_same_names);
	tcase_add_test(tests, signal_handlers_may_intern);
	tcase_add_test(tests, a_child_has_the_same_names);
	tcase_add_test(tests, no_room);
	tcase_add_test(tests, no_memory);
	tcase_add_test(tests, events_carry_them);
}
