/*
 * test_shim_sandbox.c: a sandbox that a VM enters after vmtap_start(): a seccomp filter for all
 * threads (TSYNC) refuses one of the system calls that the library uses. Its thread must neither
 * spin nor hold a lock, no event may vanish without being counted, and the stream ends in order.
 * The same for a VM that takes the library's turns in a loop of its own.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/fixture.h"
#include "unit_main.h"
#include "wire/wire.h"

enum { HANGS_S = 60, EVENTS = 100, CALLS_MAX = 6, NOT_POSSIBLE = 77 };

struct sandbox {
	const char *name;
	int error;            /* what the calls return; 0: they pretend to succeed */
	bool timed_futex;     /* refuse FUTEX_WAIT with a timeout too */
	bool ends_turns;      /* without a thread, the stream may end at once */
	int calls[CALLS_MAX]; /* the refused system calls; ends with -1 */
};

#ifdef SYS_poll
#define POLL SYS_poll, SYS_ppoll
#else
#define POLL SYS_ppoll
#endif
#ifdef SYS_open
#define OPEN SYS_open, SYS_openat
#else
#define OPEN SYS_openat
#endif
#ifdef SYS_newfstatat
#define STATUS SYS_fstat, SYS_newfstatat
#else
#define STATUS SYS_fstat
#endif
#define SLEEP SYS_nanosleep, SYS_clock_nanosleep

static const struct sandbox sandboxes[] = {
	{"nothing", EPERM, false, false, {-1}},
	{"accept4", EPERM, false, false, {SYS_accept4, -1}},
	{"accept4", EMFILE, false, false, {SYS_accept4, -1}},
	{"poll", EPERM, false, false, {POLL, -1}},
	{"poll", ENOMEM, false, false, {POLL, -1}},
	{"poll, which pretends", 0, false, false, {POLL, -1}},
	{"poll and sleep", EPERM, false, false, {POLL, SLEEP, -1}},
	{"poll and sleep, which pretend", 0, false, false, {POLL, SLEEP, -1}},
	{"all that waits", EPERM, true, false, {POLL, SLEEP, -1}},
	{"write", EPERM, false, false, {SYS_write, -1}},
	{"read", EPERM, false, false, {SYS_read, -1}},
	{"recv", EPERM, false, false, {SYS_recvfrom, -1}},
	{"send", EPERM, false, false, {SYS_sendto, -1}},
	{"getsockopt", EPERM, false, false, {SYS_getsockopt, -1}},
	{"fstat", EPERM, false, false, {STATUS, -1}},
	{"open", EPERM, false, false, {OPEN, -1}},
	{"tgkill", EPERM, false, false, {SYS_tgkill, -1}},
	{"close", EPERM, false, false, {SYS_close, -1}},
	{"unlink", EPERM, false, false, {SYS_unlinkat, -1}},
	{"epoll_ctl", EPERM, false, true, {SYS_epoll_ctl, -1}},
	{"epoll_ctl", ENOMEM, false, true, {SYS_epoll_ctl, -1}},
	{"timerfd_settime", EPERM, false, true, {SYS_timerfd_settime, -1}},
	{"masks of signals", EPERM, false, false,
		{SYS_rt_sigprocmask, SYS_rt_sigpending, SYS_rt_sigtimedwait, -1}},
	/* the last MEMORY_SANDBOXES */
	{"mmap", EPERM, false, false, {SYS_mmap, -1}},
	{"mmap", ENOMEM, false, false, {SYS_mmap, SYS_mremap, -1}},
	{"munmap and madvise", EPERM, false, false, {SYS_munmap, SYS_madvise, -1}},
};

enum {
	SANDBOXES = sizeof(sandboxes) / sizeof(sandboxes[0]),
	MEMORY_SANDBOXES = 3,
/* AddressSanitizer itself ends a process that may not map memory. */
#if defined(__SANITIZE_ADDRESS__)
	TRIED_SANDBOXES = SANDBOXES - MEMORY_SANDBOXES
#else
	TRIED_SANDBOXES = SANDBOXES
#endif
};

/* Installs the filter for all threads of the process. */
static bool enter(const struct sandbox *sandbox)
{
	const struct sock_filter refuse =
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)sandbox->error);
	struct sock_filter code[4 * CALLS_MAX + 16];
	unsigned short at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (unsigned i = 0; sandbox->calls[i] >= 0; i++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned)sandbox->calls[i], 0, 1);
		code[at++] = refuse;
	}
	if (sandbox->timed_futex) {
		code[at++] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_futex, 0, 5);
		code[at++] = (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1]));
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, FUTEX_WAIT_PRIVATE, 0, 3);
		code[at++] = (struct sock_filter)BPF_STMT(
			BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[3]));
		code[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0);
		code[at++] = refuse;
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	const struct sock_fprog program = {.len = at, .filter = code};
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
			&program) == 0;
}

/* The child waits for the parent's signal by a call that no sandbox here refuses. */
static _Atomic int *stage;

static void note_signal(int number)
{
	(void)number;
}

static int loop = -1; /* what the loop of a VM without the library's thread waits for */

static void reach(int now, int until)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	atomic_store(stage, now);
	while (atomic_load(stage) < until)
		if (loop < 0)
			sigsuspend(&none);
		else if (epoll_pwait(loop, &event, 1, -1, &none) > 0 && vmtap_turn() == -EBADF)
			loop = -1;
}

static int start(bool turns)
{
	const struct vmtap_options options = {.size = sizeof(options), .without_thread = turns};
	struct epoll_event event = {.events = EPOLLIN};
	int error = vmtap_start(&options);

	if (error || !turns)
		return error;
	loop = epoll_create1(EPOLL_CLOEXEC);
	return epoll_ctl(loop, EPOLL_CTL_ADD, vmtap_descriptor(), &event);
}

static void await_stage(int wanted)
{
	while (atomic_load(stage) < wanted)
		sched_yield();
}

static void set_stage(pid_t child, int now)
{
	atomic_store(stage, now);
	kill(child, SIGUSR1);
}

static int run_vm(const struct sandbox *sandbox, bool turns)
{
	sigset_t signals;
	int status = -1;

	sigemptyset(&signals);
	sigaddset(&signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	signal(SIGUSR1, note_signal);
	alarm(HANGS_S);
	fixture_set_path();
	if (start(turns))
		return 2;
	reach(1, 2);
	if (!enter(sandbox))
		return NOT_POSSIBLE;
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_IDLE(1);
	reach(3, 4);
	for (unsigned i = 0; i < EVENTS; i++)
		VMTAP_GC_IDLE(1);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return 3;
	vmtap_stop();
	return 0;
}

/* Whether the process comes to rest within half a minute: in a fifth of a second it uses less than
 * a tenth of a CPU. */
static bool comes_to_rest(pid_t process)
{
	const struct timespec window = {.tv_nsec = 200000000};
	const uint64_t deadline = reader_now() + UINT64_C(30000000000);
	struct timespec before, after;
	clockid_t clock;

	ck_assert_int_eq(clock_getcpuclockid(process, &clock), 0);
	while (reader_now() < deadline) {
		if (clock_gettime(clock, &before))
			return false;
		nanosleep(&window, NULL);
		if (clock_gettime(clock, &after))
			return false;
		if ((after.tv_sec - before.tv_sec) * 1000000000L + after.tv_nsec - before.tv_nsec <
			20000000)
			return true;
	}
	return false;
}

START_TEST(the_stream_goes_on_or_ends_in_order)
{
	const struct sandbox *sandbox = &sandboxes[_i % TRIED_SANDBOXES];
	const bool turns = _i >= TRIED_SANDBOXES;
	struct reader reader, late;
	int status = -1;

	stage = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(stage, MAP_FAILED);
	pid_t child = fork();
	if (child == 0)
		_exit(run_vm(sandbox, turns));
	snprintf(fixture_path, sizeof(fixture_path), "%s/vmtap/%d", fixture_folder, (int)child);
	await_stage(1);
	ck_reader(&reader, reader_start(&reader, fixture_path, 0));
	set_stage(child, 2);
	siginfo_t ended = {0};
	while (atomic_load(stage) < 3 && !ended.si_pid)
		waitid(P_PID, (id_t)child, &ended, WEXITED | WNOHANG | WNOWAIT);
	if (!ended.si_pid) {
		bool connected = reader_open(&late, fixture_path); /* and waits for an answer */
		reader_subscribe_all(&reader, 0, 2);
		ck_assert_msg(
			comes_to_rest(child), "%s, error %d: spins", sandbox->name, sandbox->error);
		set_stage(child, 4);
		while (reader_step(&reader, READER_WAIT_MS))
			;
		ck_assert_msg(reader.ended && !*reader.error, "%s, error %d: %s", sandbox->name,
			sandbox->error, reader.error);
		ck_assert_uint_le(reader_received(&reader) + reader_lost(&reader), 2 * EVENTS);
		if (!sandbox->timed_futex &&
			!(turns && sandbox->ends_turns)) /* else the stream ended before the last
							    events */
			ck_assert_msg(reader_received(&reader) + reader_lost(&reader) == 2 * EVENTS,
				"%s, error %d: received %lu, lost %lu", sandbox->name,
				sandbox->error, (unsigned long)reader_received(&reader),
				(unsigned long)reader_lost(&reader));
		if (connected)
			reader_close(&late);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	reader_close(&reader);
	if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_POSSIBLE) {
		fprintf(stderr, "no seccomp here: not tested\n");
		return;
	}
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s, error %d: status %#x",
		sandbox->name, sandbox->error, (unsigned)status);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, fixture_setup, fixture_teardown);
	tcase_set_timeout(tests, 120);
	tcase_add_loop_test(tests, the_stream_goes_on_or_ends_in_order, 0, 2 * TRIED_SANDBOXES);
	if (TRIED_SANDBOXES < SANDBOXES)
		printf("skipped the sandboxes that refuse mmap and munmap: sanitizers need them\n");
}
