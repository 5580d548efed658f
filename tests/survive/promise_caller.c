/*
 * promise_caller.c: what a thread that calls the library finds afterwards: its errno, its signal
 * mask, its cancellation state, its stack.
 */
#include "promise.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim/used_stack.h"
#include "wire/wire.h"

enum {
	SENTINEL = 4711,
	TEXTS = 40, /* of 4000 bytes: more than the smallest table of names holds */
	MANY = 3000,
	MANY_BYTES = 1000, /* together more than the socket, queue and ring of a client hold */
	STACK = 256 << 10,
	STACK_MAX = 1024,
	STACK_WAITING_MAX = 8192 /* without the library's thread, which serves the client then */
};

static uint64_t test_value(unsigned probe, unsigned argument)
{
	return probe + argument;
}

static struct vmtap_name *test_name(unsigned probe, unsigned argument)
{
	static struct vmtap_name names[] = {
		VMTAP_NAME("a name"), VMTAP_NAME("another name"), VMTAP_NAME("")};

	return &names[(probe + argument) % 3];
}

static const char *test_text(unsigned probe, unsigned argument)
{
	(void)probe;
	(void)argument;
	return "a text";
}

#include "test_calls.h"

/* ---- what a thread has ---- */

struct state {
	sigset_t mask;
	int cancel, type;
};

static struct state state_now(void)
{
	struct state now;

	sigemptyset(&now.mask);
	pthread_sigmask(SIG_SETMASK, NULL, &now.mask);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &now.cancel);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &now.type);
	pthread_setcanceltype(now.type, NULL);
	pthread_setcancelstate(now.cancel, NULL);
	return now;
}

static void compare(const struct state *before, const char *what, int error)
{
	struct state after = state_now();

	promise_expect(error == SENTINEL, "%s changes errno to %d (%s)", what, error,
		strerrorname_np(error) ? strerrorname_np(error) : "?");
	for (int i = 1; i < NSIG; i++)
		if (sigismember(&before->mask, i) != sigismember(&after.mask, i))
			promise_expect(false, "%s leaves signal %d %s", what, i,
				sigismember(&after.mask, i) ? "blocked" : "open");
	promise_expect(before->cancel == after.cancel && before->type == after.type,
		"%s changes the cancellation state", what);
}

#define KEEPS(what, call)                                                                          \
	do {                                                                                       \
		struct state before_ = state_now();                                                \
		errno = SENTINEL;                                                                  \
		(void)(call);                                                                      \
		compare(&before_, (what), errno);                                                  \
	} while (0)

/* ---- calls ---- */

static struct vmtap_options options;

static void take(struct vmtap_census *census, void *context)
{
	(void)context;
	vmtap_census_add(census, "A", 1, 8);
	errno = ENOTTY; /* as a VM's own code may leave it */
}

static void walk(struct vmtap_stack *stack, void *context)
{
	(void)context;
	vmtap_stack_frame(stack, test_name(0, 0), test_name(0, 1), test_name(0, 2), 1);
	errno = ENOTTY;
}

static void changed(void *context)
{
	(void)context;
	errno = ENOTTY;
}

static const struct vmtap_census_options census = {
	.size = sizeof(census), .by = VMTAP_CENSUS_BY_CLASS, .take = take, .polls = 1};
static const struct vmtap_change_options change = {.size = sizeof(change), .changed = changed};
static const struct vmtap_sample_options sample = {.size = sizeof(sample), .wanted = changed};

static void fire_all(const char *when)
{
	char what[100];

	for (unsigned i = 0; i < TEST_CALLS; i++) {
		snprintf(what, sizeof(what), "%s (%s)", test_probes[i], when);
		KEEPS(what, (test_calls[i](), 0));
	}
}

static void fire_names(void)
{
	static char texts[TEXTS][4001];
	static struct vmtap_name names[TEXTS];
	char what[40];

	for (unsigned i = 0; i < TEXTS; i++) {
		memset(texts[i], 'a' + i % 26, 4000);
		texts[i][0] = (char)('A' + i);
		vmtap_name_init(&names[i], texts[i], 4000);
		snprintf(what, sizeof(what), "name %u", i);
		KEEPS(what, ({
			VMTAP_PAUSE_BEGIN(0, &names[i]);
			0;
		}));
		KEEPS("a name for once", ({
			VMTAP_PAUSE_BEGIN(0, VMTAP_NAME_ONCE("once", 4));
			0;
		}));
		KEEPS("vmtap_name_intern", vmtap_name_intern(texts[i], 3000));
	}
}

static void call_all(const char *when)
{
	struct vmtap_guards guards = {{0}};
	struct vmtap_name *name = NULL;
	char what[100];

	snprintf(what, sizeof(what), "vmtap_turn (%s)", when);
	KEEPS(what, vmtap_turn());
	KEEPS("vmtap_descriptor", vmtap_descriptor());
	KEEPS("vmtap_poll", vmtap_poll(&guards, NULL));
	KEEPS("vmtap_guard", vmtap_guard(VMTAP_PROBE_GC_START));
	KEEPS("vmtap_fire", vmtap_fire(VMTAP_PROBE_GC_START));
	KEEPS("vmtap_probe_number", vmtap_probe_number("gc-start", 8));
	KEEPS("vmtap_name_new", name = vmtap_name_new("a", 1));
	KEEPS("vmtap_name_free", (vmtap_name_free(name), 0));
	KEEPS("vmtap_thread_reset", (vmtap_thread_reset(), 0));
	KEEPS("vmtap_census_wanted", vmtap_census_wanted());
	KEEPS("vmtap_sample_wanted", vmtap_sample_wanted());
	KEEPS("vmtap_sample_take", vmtap_sample_take());
	KEEPS("vmtap_sample_allocated", vmtap_sample_allocated(100));
	KEEPS("vmtap_sample_unit", vmtap_sample_unit());
	KEEPS("vmtap_dump_wanted", vmtap_dump_wanted());
	KEEPS("vmtap_dump_take", vmtap_dump_take());
	KEEPS("vmtap_version", vmtap_version());
	KEEPS("vmtap_census_register", vmtap_census_register(&census));
	KEEPS("vmtap_on_change", vmtap_on_change(&change));
	KEEPS("vmtap_sample_register", vmtap_sample_register(&sample));
	KEEPS("vmtap_on_change(NULL)", vmtap_on_change(NULL));
	KEEPS("vmtap_sample_register(NULL)", vmtap_sample_register(NULL));
	KEEPS("vmtap_census_unregister", vmtap_census_unregister());
	KEEPS("vmtap_stack_register", vmtap_stack_register(walk, NULL));
	snprintf(what, sizeof(what), "vmtap_start once more (%s)", when);
	KEEPS(what, vmtap_start(&options));
}

static void check_fork(void)
{
	int status = 0;
	pid_t child = 0;

	KEEPS("fork", child = fork());
	if (!child) {
		fire_all("in a child");
		KEEPS("vmtap_start in a child", vmtap_start(&options));
		fire_all("in a child that serves");
		KEEPS("vmtap_stop in a child", vmtap_stop());
		_exit(0);
	}
	waitpid(child, &status, 0);
	promise_expect(status == 0, "a child ends with status %#x", status);
}

/* The clients are processes that wait until they are to connect. */
static struct promise_partner clients[3];
static unsigned client_count;

static void add_client(const struct promise_client *client)
{
	clients[client_count++] = promise_begin(promise_run_client, (void *)(uintptr_t)client);
}

/* Without a thread of the library's, this one takes its turns until the client has subscribed. */
static void connect_clients(void)
{
	for (unsigned i = 0; i < client_count; i++) {
		struct pollfd polled[] = {
			{.fd = clients[i].line, .events = POLLIN}, {.events = POLLIN}};
		promise_say(clients[i].line, 'c');
		do {
			polled[1].fd = vmtap_descriptor();
			poll(polled, 2, 100);
			if (polled[1].fd >= 0)
				KEEPS("vmtap_turn for a client", vmtap_turn());
		} while (!polled[0].revents);
		promise_hear(clients[i].line);
	}
}

static void fire_many(void)
{
	char text[MANY_BYTES + 1] = "";

	memset(text, 'x', MANY_BYTES);
	for (unsigned i = 0; i < MANY; i++)
		KEEPS("an event beside many", ({
			VMTAP_USER_MSG(0, text);
			0;
		}));
}

static void *one_thread(void *kind)
{
	sigset_t mask;

	/* Not the mask and the state that a call might set by chance. */
	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	sigaddset(&mask, SIGWINCH);
	if (kind)
		sigaddset(&mask, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	if (kind) {
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	}
	call_all("not started");
	fire_all("not started");
	KEEPS("vmtap_stop, not started", vmtap_stop());
	KEEPS("vmtap_start", vmtap_start(&options));
	call_all("no client");
	fire_all("no client");
	if (client_count) {
		connect_clients();
		KEEPS("vmtap_census_register", vmtap_census_register(&census));
		KEEPS("vmtap_census_now", vmtap_census_now());
		KEEPS("vmtap_census_take", vmtap_census_take());
		fire_all("a thread's first events");
		promise_sleep_ms(30); /* the server sleeps: the next event wakes it */
		fire_all("after a quiet time");
		fire_names();
		fire_many();
		fire_all("after many");
		call_all("a client");
		check_fork();
	}
	KEEPS("vmtap_stop", vmtap_stop());
	call_all("stopped");
	fire_all("stopped");
	return NULL;
}

static void check_thread(void *kind)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, one_thread, kind))
		promise_abort("no thread");
	pthread_join(thread, NULL);
	while (client_count)
		promise_end(&clients[--client_count]);
}

void promise_caller(void)
{
	static const struct promise_client prompt = {.flags = WIRE_CPU_CLOCK | WIRE_STACKS},
					   slow = {.flags = WIRE_LOSSLESS, .pause_us = 500};
	char log[100];

	snprintf(log, sizeof(log), "%s/log", promise_folder);
	options = (struct vmtap_options){
		.size = sizeof(options), .ring_bytes = 1, .name_bytes = 1, .queue_bytes = 1};
	vmtap_stack_register(walk, NULL);
	for (int turns = 0; turns < 2; turns++) {
		options.without_thread = turns;
		check_thread(NULL);
		add_client(&prompt);
		check_thread(NULL);
		add_client(&prompt);
		add_client(&slow);
		check_thread(&options);
		setenv("VMTAP_LOG", log, 1);
		check_thread(NULL);
		unsetenv("VMTAP_LOG");
	}
}

/* ---- cancellation ---- */

static _Atomic bool survived;

static void fire_for(uint64_t ns)
{
	for (uint64_t until = promise_now() + ns; promise_now() < until;)
		for (unsigned i = 0; i < TEST_CALLS; i++)
			test_calls[i]();
}

/* The request waits all the time: a call that is a cancellation point ends the thread. */
static void *call_cancelled(void *unused)
{
	pthread_cancel(pthread_self());
	for (uint64_t until = promise_now() + 40000000; promise_now() < until;)
		; /* until the server sleeps */
	fire_for(20000000);
	vmtap_turn();
	vmtap_name_intern("interned", 8);
	vmtap_census_register(&census);
	vmtap_census_now();
	vmtap_census_unregister();
	vmtap_start(&options);
	vmtap_stop();
	vmtap_start(&options);
	vmtap_stop();
	survived = true;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return unused;
}

void promise_cancel(void)
{
	static const struct promise_client slow = {.flags = WIRE_LOSSLESS, .pause_us = 300};
	pthread_t thread;

	options =
		(struct vmtap_options){.size = sizeof(options), .ring_bytes = 1, .queue_bytes = 1};
	for (int turns = 0; turns < 2; turns++) {
		options.without_thread = turns;
		survived = false;
		add_client(&slow);
		vmtap_start(&options);
		connect_clients();
		if (pthread_create(&thread, NULL, call_cancelled, NULL))
			promise_abort("no thread");
		pthread_join(thread, NULL);
		promise_expect(survived, "a call is a cancellation point%s",
			turns ? ", without the library's thread" : "");
		vmtap_stop();
		promise_end(&clients[--client_count]);
	}
}

/* ---- stack ---- */

static void *use_stack(void *call)
{
	const char *name = test_probes[(size_t)call];

	for (unsigned i = 0; i < 20; i++) {
		size_t used = used_stack(test_calls[(size_t)call]);
		promise_expect(
			used < STACK_MAX, "%s takes %zu bytes of stack, time %u", name, used, i);
	}
	return NULL;
}

static void wait_often(void)
{
	static char text[MANY_BYTES + 1];

	memset(text, 'x', MANY_BYTES);
	for (unsigned i = 0; i < MANY; i++)
		VMTAP_USER_MSG(0, text);
}

static void *use_stack_waiting(void *unused)
{
	size_t used = used_stack(wait_often);

	promise_expect(used < STACK_WAITING_MAX,
		"an event that waits without the library's thread takes %zu bytes of stack", used);
	return unused;
}

/* Also where the rings are full and a lossless client makes the threads wait. */
void promise_stack(void)
{
	static const struct promise_client kinds[] = {{.flags = 0}, {.flags = WIRE_CPU_CLOCK},
		{.flags = WIRE_LOSSLESS, .pause_us = 300},
		{.flags = WIRE_LOSSLESS, .pause_us = 300}};
	pthread_attr_t attributes;
	pthread_t thread;

	options = (struct vmtap_options){
		.size = sizeof(options), .ring_bytes = 1, .name_bytes = 1, .queue_bytes = 1};
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK);
	for (unsigned kind = 0; kind < 4; kind++) {
		options.without_thread = kind == 3;
		add_client(&kinds[kind]);
		vmtap_start(&options);
		connect_clients();
		for (size_t i = 0; i < (kind == 3 ? 1 : TEST_CALLS); i++) {
			if (pthread_create(&thread, &attributes,
				    kind == 3 ? use_stack_waiting : use_stack, (void *)i))
				promise_abort("no thread");
			pthread_join(thread, NULL);
		}
		vmtap_stop();
		promise_end(&clients[--client_count]);
	}
	pthread_attr_destroy(&attributes);
}
