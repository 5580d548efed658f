/*
 * test_shim_moments.c: children that are made at every moment of what the library does. The trap
 * flag of the processor stops this thread after each instruction, and a child is made there. Each
 * child finds what it has been told of whole, closes all guards, and can use the library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "shim/extra/sampler.h"
#include "shim/fixture.h"
#include "unit_main.h"

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

/* A function of the VM's and its context. */
struct registrant {
	unsigned calls;
	bool is_other; /* it was called with another context */
};

static struct registrant first, second;
static void (*in_child)(void);
static volatile unsigned steps, every;
static volatile bool stops;

static void note(struct registrant *own, const void *context)
{
	own->calls++;
	own->is_other |= own != context;
}

static void want_first(void *context)
{
	note(&first, context);
}

static void want_second(void *context)
{
	note(&second, context);
}

static void take_first(struct vmtap_census *census, void *context)
{
	(void)census;
	note(&first, context);
}

static void take_second(struct vmtap_census *census, void *context)
{
	(void)census;
	note(&second, context);
}

static void call_due(void)
{
	sampler_dump();
}

static void call_census(void)
{
	vmtap_census_now();
}

/* The child is in the middle of anything, so it does not allocate, unless in_child knows better. */
static int run_child(void)
{
	alarm(60); /* it hangs */
	VMTAP_GC_WORK(1);
	vmtap_descriptor();
	if (fixture_open_guards())
		return 2;
	if (in_child) {
		in_child();
		if (first.calls + second.calls != 1)
			return 3;
		if (first.is_other || second.is_other)
			return 4;
	}
	return 0;
}

static void on_step(int signal)
{
	int saved = errno, status = -1;
	pid_t child;

	(void)signal;
	if (stops && steps++ % every == 0) {
		child = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
		if (child == 0)
			_exit(run_child());
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		ck_assert_msg(!status, "after instruction %u: status %#x", steps, status);
	}
	errno = saved;
}

/* Below the stack pointer there may be variables of this function. */
#define WITH_FLAGS(instruction)                                                                    \
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" instruction                        \
			 "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::                                   \
				 : "memory", "cc")

static void set_trap_flag(bool on)
{
	if (on)
		WITH_FLAGS("orq $0x100, (%%rsp)");
	else
		WITH_FLAGS("andq $~0x100, (%%rsp)");
}

/* Makes a child after each so many instructions of the code. */
#define AT_EVERY(instructions, call, code)                                                         \
	do {                                                                                       \
		in_child = (call);                                                                 \
		every = (instructions);                                                            \
		steps = 0;                                                                         \
		stops = true;                                                                      \
		set_trap_flag(true);                                                               \
		code;                                                                              \
		set_trap_flag(false);                                                              \
		stops = false;                                                                     \
		ck_assert_uint_gt(steps, 10);                                                      \
	} while (0)

static void setup(void)
{
	const struct sigaction action = {.sa_handler = on_step};

	fixture_setup();
	sigaction(SIGTRAP, &action, NULL);
}

START_TEST(what_is_registered_is_whole)
{
	const struct vmtap_sample_options samples[] = {
		{.size = sizeof(*samples), .wanted = want_first, .context = &first},
		{.size = sizeof(*samples), .wanted = want_second, .context = &second}};
	const struct vmtap_census_options censuses[] = {{.size = sizeof(*censuses),
								.by = VMTAP_CENSUS_BY_CLASS,
								.take = take_first,
								.context = &first},
		{.size = sizeof(*censuses),
			.by = VMTAP_CENSUS_BY_CLASS,
			.take = take_second,
			.context = &second}};

	vmtap_sample_register(&samples[0]);
	AT_EVERY(1, call_due, vmtap_sample_register(&samples[1]));
	AT_EVERY(1, call_due, vmtap_sample_register(&samples[0]));
	vmtap_census_register(&censuses[0]);
	AT_EVERY(1, call_census, vmtap_census_register(&censuses[1]));
	AT_EVERY(1, call_census, vmtap_census_register(&censuses[0]));
}
END_TEST

START_TEST(guards_are_closed)
{
	struct reader reader;

	fixture_start();
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	VMTAP_GC_IDLE(1);
	AT_EVERY(1, NULL, VMTAP_GC_IDLE(1));
	AT_EVERY(1, NULL, VMTAP_PAUSE_BEGIN(0, VMTAP_NAME_ONCE("once", 4)));
	AT_EVERY(1, NULL, vmtap_name_intern("interned", 8));
	reader_close(&reader);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, fixture_teardown);
	tcase_set_timeout(tests, 60);
	tcase_add_test(tests, what_is_registered_is_whole);
	tcase_add_test(tests, guards_are_closed);
}
#else
void unit_tests(TCase *tests)
{
	(void)tests;
	unit_skip("other processors, and AddressSanitizer, do not stop after an instruction");
}
#endif
