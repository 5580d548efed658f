/*
 * thread_stack.c: see thread_stack.h. A thread of ours stops the other one and ends right after
 * that: what it has not been able to release is released by its end.
 */
#include "usdt/unwind/thread_stack.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "usdt/process/thread_state.h"
#include "usdt/unwind/unwind.h"

enum {
	STACK_BYTES = 512 << 10,
	RED_ZONE = 128,
	REGISTERS = 21, /* of x86-64, in the order of struct pt_regs */
	REGISTER_RIP = 16,
	REGISTER_CS = 17,
	CODE_64 = 0x33, /* what CS is in 64-bit code; its stack is never below 4 GiB */
	REGISTER_RSP = 19,
	SEIZE_MS = 1000,
	STOP_MS = 2000, /* for a thread that does not wait for a device */
	LOOK_NS = 20000
};

struct thread_stacks {
	uint32_t pid;
	int memory;
	struct usdt_unwind *unwind;
	unsigned char *copy;
	struct thread_registers registers;
	bool is_refused; /* we may not stop its threads */
};

/* What the thread that stops another one is told and finds. */
struct thread_stop {
	struct thread_stacks *stacks;
	uint32_t tid;
	uint64_t registers[REGISTERS];
	size_t size; /* of the copy */
	enum thread_stack_lack lack;
};

int thread_stacks_open(uint32_t pid, struct thread_registers registers,
	struct thread_stacks **opened, struct error *error)
{
	struct thread_stacks *stacks = calloc(1, sizeof(*stacks));
	char path[64];
	int result = 0;

	*opened = NULL;
	if (!stacks)
		return error_set(error, ENOMEM, "out of memory");
	stacks->pid = pid;
	stacks->registers = registers;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	stacks->memory = open(path, O_RDONLY | O_CLOEXEC);
	stacks->copy = malloc(STACK_BYTES);
	if (stacks->memory < 0)
		result = error_set(error, errno,
			"process %" PRIu32 ": its memory cannot be read: %s", pid,
			errno == EACCES ? "only its user, with all rights that it has, and root "
					  "may look at it"
					: strerror(errno));
	else if (!stacks->copy || usdt_unwind_new((pid_t)pid, NULL, &stacks->unwind))
		result = error_set(error, ENOMEM, "out of memory");
	if (result)
		thread_stacks_close(stacks);
	else
		*opened = stacks;
	return result;
}

void thread_stacks_close(struct thread_stacks *stacks)
{
	if (!stacks)
		return;
	if (stacks->memory >= 0)
		close(stacks->memory);
	usdt_unwind_free(stacks->unwind);
	free(stacks->copy);
	free(stacks);
}

/* Copies the top of a stack. Returns the bytes that could be read. */
static size_t copy_stack(const struct thread_stacks *stacks, uint64_t sp)
{
	uint64_t from = sp > RED_ZONE ? sp - RED_ZONE : 0;
	size_t done = 0;

	while (done < STACK_BYTES) {
		ssize_t got = pread(stacks->memory, stacks->copy + done, STACK_BYTES - done,
			(off_t)(from + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static struct usdt_unwound unwind_copy(const struct thread_stacks *stacks,
	const uint64_t registers[REGISTERS], size_t size, uint64_t *pcs, size_t capacity)
{
	uint64_t sp = registers[REGISTER_RSP];
	const struct usdt_unwind_thread thread = {.machine = EM_X86_64,
		.register_count = REGISTERS,
		.registers = registers,
		.stack_address = sp > RED_ZONE ? sp - RED_ZONE : 0,
		.stack_size = size,
		.stack = stacks->copy};

	return usdt_unwind(stacks->unwind, &thread, pcs, capacity);
}

/* ---- a thread that waits ---- */

/* Unwinds the stack of a thread that waits from these registers. Returns whether that is the whole
 * stack; *count is the number of frames in any case. */
static bool unwind_waiting(const struct thread_stacks *stacks, const struct os_thread_state *state,
	const uint64_t *registers, uint64_t *pcs, size_t capacity, size_t *count)
{
	size_t size = copy_stack(stacks, state->sp);
	struct usdt_unwound unwound;

	*count = 0;
	if (!thread_state_lasts(state))
		return false;
	unwound = unwind_copy(stacks, registers, size, pcs, capacity);
	*count = unwound.count;
	return unwound.end == USDT_UNWIND_OUTERMOST || unwound.end == USDT_UNWIND_FULL;
}

static bool take_waiting(const struct thread_stacks *stacks, const struct os_thread_state *state,
	uint64_t *pcs, size_t capacity, size_t *count)
{
	uint64_t registers[REGISTERS] = {[REGISTER_RIP] = state->pc,
		[REGISTER_CS] = state->sp > UINT32_MAX ? CODE_64 : 0,
		[REGISTER_RSP] = state->sp};

	if (unwind_waiting(stacks, state, registers, pcs, capacity, count))
		return true;
	return stacks->registers.find &&
		stacks->registers.find(stacks->registers.context, state->tid, registers) &&
		registers[REGISTER_RSP] == state->sp && registers[REGISTER_RIP] == state->pc &&
		unwind_waiting(stacks, state, registers, pcs, capacity, count);
}

/*
 * Returns whether the call returns EINTR to a thread that was stopped and goes on. Calls on sockets
 * do so if the socket has a time limit.
 */
static bool call_fails(const struct os_thread_state *state)
{
	static const int16_t calls[] = {
#ifdef SYS_epoll_wait /* not on every machine */
		SYS_epoll_wait,
#endif
		SYS_epoll_pwait, SYS_epoll_pwait2, SYS_semop, SYS_semtimedop, SYS_rt_sigtimedwait,
		SYS_io_getevents, SYS_io_pgetevents, SYS_recvfrom, SYS_recvmsg, SYS_recvmmsg,
		SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_accept, SYS_accept4, SYS_connect,
		SYS_io_uring_enter};

	for (size_t i = 0; state->waits && i < sizeof(calls) / sizeof(calls[0]); i++)
		if (state->call == calls[i])
			return true;
	return false;
}

/* ---- a thread that is stopped ---- */

/* Waits until the thread stops. Returns its status, or -1: it has ended, or does not stop. */
static int await_stop(pid_t tid)
{
	const struct timespec pause = {.tv_nsec = LOOK_NS};
	const uint64_t limit = clock_monotonic() + STOP_MS * CLOCK_NS_PER_MS;
	int status;

	for (;;) {
		pid_t got = waitpid(tid, &status, __WALL | WNOHANG);

		if (got == tid)
			return WIFSTOPPED(status) ? status : -1;
		if ((got < 0 && errno != EINTR) || clock_monotonic() > limit)
			return -1;
		nanosleep(&pause, NULL);
	}
}

/* Becomes the tracer of a thread. Another one, such as a second dump, may be so for a moment. */
static bool seize(struct thread_stacks *stacks, pid_t tid)
{
	const struct timespec pause = {.tv_nsec = CLOCK_NS_PER_MS};
	const uint64_t limit = clock_monotonic() + SEIZE_MS * CLOCK_NS_PER_MS;

	while (ptrace(PTRACE_SEIZE, tid, NULL, NULL)) {
		if (errno != EPERM || stacks->is_refused || clock_monotonic() > limit) {
			/* for the next threads, do not wait again */
			stacks->is_refused |= errno == EPERM;
			return false;
		}
		nanosleep(&pause, NULL);
	}
	return true;
}

static void *stop_thread(void *context)
{
	struct thread_stop *stop = context;
	struct user_regs_struct user;
	struct iovec place = {&user, sizeof(user)};
	const pid_t tid = (pid_t)stop->tid;
	int status, signal;

	stop->lack = THREAD_STACK_OTHERS;
	if (!seize(stop->stacks, tid) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL))
		return NULL;
	status = await_stop(tid);
	stop->lack = THREAD_STACK_DEAF;
	if (status < 0)
		return NULL;
	stop->lack = THREAD_STACK_BROKEN;
	if (!ptrace(PTRACE_GETREGSET, tid, (void *)NT_PRSTATUS, &place) &&
		place.iov_len == sizeof(user)) {
		memcpy(stop->registers, &user, sizeof(stop->registers));
		stop->size = copy_stack(stop->stacks, stop->registers[REGISTER_RSP]);
		stop->lack = THREAD_STACK_WHOLE;
	}
	/* it may have stopped at a signal that has just come, which it must get */
	signal = status >> 16 ? 0 : WSTOPSIG(status);
	ptrace(PTRACE_DETACH, tid, NULL, (void *)(intptr_t)signal);
	return NULL;
}

static enum thread_stack_lack take_stopped(
	struct thread_stacks *stacks, uint32_t tid, uint64_t *pcs, size_t capacity, size_t *count)
{
	struct thread_stop stop = {.stacks = stacks, .tid = tid};
	struct usdt_unwound unwound;
	pthread_t thread;

	if (pthread_create(&thread, NULL, stop_thread, &stop))
		return THREAD_STACK_OTHERS;
	pthread_join(thread, NULL);
	if (stop.lack)
		return stop.lack;
	unwound = unwind_copy(stacks, stop.registers, stop.size, pcs, capacity);
	*count = unwound.count;
	return unwound.end == USDT_UNWIND_OUTERMOST ? THREAD_STACK_WHOLE : THREAD_STACK_BROKEN;
}

enum thread_stack_lack thread_stack_take(struct thread_stacks *stacks,
	const struct os_thread_state *state, bool may_fail, uint64_t *pcs, size_t capacity,
	size_t *count)
{
	enum thread_stack_lack lack;
	size_t stopped_count = 0;

	*count = 0;
	if (state->waits && take_waiting(stacks, state, pcs, capacity, count))
		return THREAD_STACK_WHOLE;
	if (!may_fail && call_fails(state))
		return THREAD_STACK_CALL;
	if (state->state == 'D')
		return THREAD_STACK_DEAF;
	if (state->state == 't')
		return THREAD_STACK_OTHERS;
	lack = take_stopped(stacks, state->tid, pcs, capacity, &stopped_count);
	if (stopped_count)
		*count = stopped_count;
	return lack;
}
