/*
 * interrupts.c: see interrupts.h. The thread allocates nothing and takes no lock, least of all that
 * of a stdio stream, which the command may hold while it waits.
 */
#include "cli/interrupts.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/clock.h"

enum {
	PATIENCE_MS = 500,      /* what the command has after a signal */
	STACK_BYTES = 64 * 1024 /* more than the least, for sanitizers */
};

struct interrupt_watch {
	int signals; /* signalfd() */
	int news;    /* eventfd(): a signal has come that was not taken */
	int quit;    /* eventfd(): the thread is to end */
	pthread_t thread;
	_Atomic int count; /* as interrupts_take() gives it */
	_Atomic uint64_t first;
	_Atomic int taken; /* of count */
};

/* Fails only if the counter is full, and then the descriptor is readable already. */
static void ring(int descriptor)
{
	eventfd_write(descriptor, 1);
}

static bool is_writable(int descriptor)
{
	struct pollfd wait = {.fd = descriptor, .events = POLLOUT};

	return poll(&wait, 1, 0) == 1;
}

static void say(const char *line)
{
	if (is_writable(STDERR_FILENO) && write(STDERR_FILENO, line, strlen(line)) < 0)
		return; /* nobody can be told */
}

/* Some time after the first signal. */
static void advise(const struct interrupt_watch *watch)
{
	if (!is_writable(STDOUT_FILENO))
		say("vmtap: nobody reads the output: another signal ends vmtap without the rest of "
		    "it\n");
	else if (!atomic_load(&watch->taken))
		say("vmtap: still busy: another signal ends vmtap at once\n");
}

/* As the signal does where it is not blocked: a shell sees what ended the process. */
static void end_process(int number)
{
	sigset_t set;

	say("vmtap: ended before all of its output was written\n");
	signal(number, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	kill(getpid(), number);
	_exit(128 + number);
}

/* The number of the last signal, or 0 if none has come. */
static int read_signals(struct interrupt_watch *watch)
{
	struct signalfd_siginfo signal;
	int number = 0;

	while (read(watch->signals, &signal, sizeof(signal)) == (ssize_t)sizeof(signal)) {
		uint64_t now = clock_monotonic();
		number = (int)signal.ssi_signo;
		if (!atomic_load(&watch->count)) {
			atomic_store(&watch->first, now);
			atomic_store(&watch->count, 1);
		} else if (now - atomic_load(&watch->first) >=
			INTERRUPTS_APART_MS * CLOCK_NS_PER_MS) {
			atomic_store(&watch->count, 2);
		}
	}
	return number;
}

static void *run(void *argument)
{
	struct interrupt_watch *watch = argument;
	struct pollfd waits[] = {
		{.fd = watch->signals, .events = POLLIN}, {.fd = watch->quit, .events = POLLIN}};
	uint64_t due = UINT64_MAX;
	int ending = 0;

	while (!waits[1].revents) {
		uint64_t now = clock_monotonic();
		int count = atomic_load(&watch->count), number = 0;
		int left = due == UINT64_MAX ? -1
			: due <= now         ? 0
					     : (int)((due - now) / CLOCK_NS_PER_MS) + 1;

		if (poll(waits, 2, left) == 0) {
			if (count == 1)
				advise(watch);
			else
				end_process(ending);
			due = UINT64_MAX;
		} else if (waits[0].revents) {
			number = read_signals(watch);
		}
		if (atomic_load(&watch->count) != count) {
			ending = number;
			due = clock_monotonic() + PATIENCE_MS * CLOCK_NS_PER_MS;
			ring(watch->news);
		}
	}
	return NULL;
}

static void free_watch(struct interrupt_watch *watch)
{
	if (watch->signals >= 0)
		close(watch->signals);
	if (watch->news >= 0)
		close(watch->news);
	if (watch->quit >= 0)
		close(watch->quit);
	free(watch);
}

static int start(struct interrupt_watch *watch)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	long least = sysconf(_SC_THREAD_STACK_MIN);
	int result;

	result = pthread_attr_init(&attributes);
	if (result)
		return -result;
	pthread_attr_setstacksize(&attributes, (size_t)(least > 0 ? least : 0) + STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&watch->thread, &attributes, run, watch);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return -result;
}

int interrupts_open(struct interrupts *interrupts, const sigset_t *signals)
{
	struct interrupt_watch *watch = calloc(1, sizeof(*watch));
	int result = 0;

	if (!watch)
		return -ENOMEM;
	watch->signals = signalfd(-1, signals, SFD_CLOEXEC | SFD_NONBLOCK);
	watch->news = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	watch->quit = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (watch->signals < 0 || watch->news < 0 || watch->quit < 0)
		result = -errno;
	if (!result)
		result = start(watch);
	if (result)
		free_watch(watch);
	else
		interrupts->watch = watch;
	return result;
}

int interrupts_descriptor(const struct interrupts *interrupts)
{
	return interrupts->watch ? interrupts->watch->news : -1;
}

void interrupts_take(struct interrupts *interrupts)
{
	struct interrupt_watch *watch = interrupts->watch;
	uint64_t news;
	int count = watch ? atomic_load(&watch->count) : 0;

	/* The thread counts a signal before it says that there is news. */
	if (!count || (read(watch->news, &news, sizeof(news)) < 0 && count == interrupts->count))
		return;
	if (!interrupts->count)
		interrupts->first = atomic_load(&watch->first);
	interrupts->count = count;
	atomic_store(&watch->taken, count);
}

void interrupts_add(struct interrupts *interrupts)
{
	if (interrupts->count)
		return;
	interrupts->count = 1;
	interrupts->first = clock_monotonic();
}

void interrupts_close(struct interrupts *interrupts)
{
	struct interrupt_watch *watch = interrupts->watch;

	if (!watch)
		return;
	ring(watch->quit);
	pthread_join(watch->thread, NULL);
	free_watch(watch);
	interrupts->watch = NULL;
}
