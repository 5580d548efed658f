/*
 * server.c: see server.h. A turn is prepare(), a wait, and work(); with a thread of ours the wait
 * is in between, without one the VM's loop waits. The registry's lock is never held here while a
 * function of the VM's runs. Descriptors are compared with the files that they were made for before
 * they are used, because the program may have closed them.
 */
#include "shim/server/server.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/debug_line.h"
#include "base/test_point.h"
#include "shim/core/budget.h"
#include "shim/core/extra.h"
#include "shim/core/ledger.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring_memory.h"
#include "shim/server/admission.h"
#include "shim/server/log_watch.h"
#include "shim/server/lossless.h"
#include "shim/server/memory_limit.h"
#include "shim/server/server_poll.h"
#include "shim/server/server_samples.h"
#include "shim/server/server_state.h"
#include "shim/server/subscription.h"
#include "shim/server/turn.h"
#include "shim/stream/awaited.h"
#include "shim/stream/missed.h"
#include "wire/place.h"

enum {
	QUEUE_BYTES_DEFAULT = 8 << 20,
	MEMORY_RINGS = 512, /* the budget has room for as many, or for as many queues */
	MEMORY_QUEUES = 64,
	MEMORY_SHARE = 8,      /* it is at most this part of the memory that the process can have */
	REFUSALS_AGAIN_S = 10, /* between two messages about refused memory */
	FLUSH_MS_DEFAULT = 2000,
	JOIN_MS = 10, /* between two tries to leave a thread that nothing wakes */
	LOSSLESS_MS_DEFAULT = 10000,
	PATIENCE_MORE_MS =
		2000, /* that producers have for the server, so that it decides, not they */
	TURN_NS = 200000,
	STACK_BYTES = 256 << 10
};

void server_say(const struct server *server, const char *format, ...)
{
	char line[256];
	va_list arguments;
	int length;

	if (!server->debugs)
		return;
	length = snprintf(line, sizeof(line), "vmtap: server %u: ", (unsigned)server->process.pid);
	va_start(arguments, format);
	vsnprintf(line + length, sizeof(line) - (size_t)length, format, arguments);
	va_end(arguments);
	debug_line(line);
}

/* Returns true if VMTAP_DEBUG asks for lines about the server. */
static bool wants_debug(void)
{
	const char *at = secure_getenv("VMTAP_DEBUG");
	size_t length;

	for (; at && *at; at += length + (at[length] == ',')) {
		length = strcspn(at, ",");
		if (length == strlen("server") && !memcmp(at, "server", length))
			return true;
	}
	return false;
}

/* ---- draining ---- */

/* Tells the client which objects and probes are excluded from the stream. */
static void tell_omissions(struct server *server, struct client *client)
{
	uint32_t now_told = registry_omissions();
	uint64_t now = server_now(server);
	char texts[OMITTED_KINDS][REGISTRY_TEXT_BYTES];

	if (!client->subscribed || client->gone || now_told == client->omissions)
		return;
	if (!drain_lock_registry(&server->drain))
		return;
	registry_describe_omissions(texts);
	registry_unlock();
	for (unsigned i = 0; i < OMITTED_KINDS; i++)
		if (*texts[i] && !encode_message(&client->encoder, texts[i], now))
			return;
	client->omissions = now_told;
}

/* Tells the client that memory was refused, so that it knows why events are lost: at once if it was
 * refused for another use than before, else once in a while. */
static void tell_refusals(const struct server *server, struct client *client)
{
	uint32_t refusals = budget_refusals(), uses = budget_refused_uses();
	uint64_t now = clock_monotonic();
	char text[BUDGET_TEXT_BYTES];

	if (!client->subscribed || client->gone || client->end_queued ||
		refusals == client->refusals ||
		(client->refusals_at && uses == client->refused_uses &&
			now - client->refusals_at < REFUSALS_AGAIN_S * UINT64_C(1000000000)))
		return;
	budget_describe(text);
	if (!encode_message(&client->encoder, text, server_now(server)))
		return;
	client->refusals = refusals;
	client->refused_uses = uses;
	client->refusals_at = now;
	server_say(server, "client %d: %s", client->socket, text);
}

static void drain_and_report(struct server *server)
{
	/* before the events of objects that are loaded after this */
	for (struct client *client = server->clients; client; client = client->next)
		tell_omissions(server, client);
	missed_report(server->clients, server_now(server));
	drain_rings(&server->drain, server->clients);
	/* Producers do not wait for ever for a server that lacks the registry. */
	if (!server->drain.yielded)
		ring_note_turn();
}

/* ---- descriptors that the program has closed ---- */

/* A program that closes all descriptors it does not know, as daemons do, has closed the
 * server's too. Their numbers may belong to the program by now; then they must not be read,
 * written or closed. */
static bool has_descriptors(const struct server *server)
{
	return server_socket_is_ours(&server->endpoint) &&
		descriptor_is(server->wake, server->wake_file) &&
		(server->has_thread || watch_is_ours(&server->watch));
}

static void lose_descriptors(struct server *server)
{
	ring_set_waker(-1);
	extra_census_detach();
	extra_change_detach();
	registry_lock();
	/* All eventfds have one identity, so this may be one of the program's. */
	ledger_drop(server->wake);
	server->wake = -1;
	if (!server->has_thread && !watch_is_ours(&server->watch))
		watch_abandon(&server->watch);
	if (server_socket_is_ours(&server->endpoint))
		server_socket_close(&server->endpoint);
	else
		server_socket_abandon(&server->endpoint);
	for (struct client *client = server->clients; client; client = client->next)
		client->gone = true;
	registry_unlock();
	awaited_end(); /* no client will come that anyone could wait for */
}

/* Call before descriptors are used that the program may have closed meanwhile. False: the server
 * has lost its own, and no client is left. */
static bool check_descriptors(struct server *server)
{
	bool has = server->ending || has_descriptors(server);

	if (!has)
		lose_descriptors(server);
	admission_check(server);
	return has;
}

/* The VM waits for its log, but not for a full disk. */
static void follow_log(struct server *server, struct client *client)
{
	log_watch_note(server, client);
	if (client->log.full && client->finishing)
		client->gone = !client_abandon(client);
	if (client->terms.lossless != client->log.full || client->gone)
		return;
	client->terms.lossless = !client->log.full;
	client->encoder.grow_max = client->log.full ? client->queue_bytes : SIZE_MAX;
	subscription_apply(server);
}

/* Queues acknowledgements and end markers that are due, and sends. */
static void serve_client(struct server *server, struct client *client)
{
	bool due;

	do {
		uint64_t now = server_now(server);
		subscription_answer(server, client);
		tell_omissions(server, client);
		lossless_tell(server, client);
		tell_refusals(server, client);
		log_watch_tell(server, client);
		server_samples_tell(server, client);
		if (client->finishing && !client->end_queued && !client->hurried) {
			client_mark(client, server->drain.watermark, now);
			client_finish(client, now);
		}
		client_send(client);
		if (client->is_log)
			follow_log(server, client);
		due = client->acknowledge || (client->finishing && !client->end_queued);
		/* Repeat if something due did not fit, because no other event may wake this
		 * thread. */
	} while (due && !client->gone && !client_pending(client));
	if (client->end_queued && !client_pending(client))
		client->gone = true;
}

static void serve_clients(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		if (!client->gone)
			serve_client(server, client);
	admission_drop_gone(server);
}

static bool must_stop(const struct server *server)
{
	return server->cannot_wait || atomic_load(&server->stopping);
}

/* Lists what to wait for: the eventfd, the socket, the sampler's descriptor, and each client.
 * Returns how many. */
static nfds_t list_work(struct server *server, struct pollfd *polled, int *timeout_ms)
{
	bool accepts = true;
	unsigned debtors = 0;
	nfds_t count = POLLED_CLIENTS;
	struct client *client;

	if (server->accept_after && clock_monotonic() < server->accept_after) {
		accepts = false;
		server_shorten(timeout_ms, (int)server->accept_pause_ms);
	} else {
		server->accept_after = 0;
	}
	if (server->wake_refused)
		server_shorten(timeout_ms, SERVER_IDLE_MS);
	polled[0] =
		(struct pollfd){.fd = server->wake_refused ? -1 : server->wake, .events = POLLIN};
	polled[1] = (struct pollfd){.fd = accepts ? server->endpoint.socket : -1, .events = POLLIN};
	polled[POLLED_SAMPLER] =
		(struct pollfd){.fd = extra_sampler_descriptor(), .events = POLLIN};

	for (client = server->clients; client; client = client->next)
		debtors += client->credit < 0;
	for (client = server->clients; client; client = client->next) {
		int grace = server->ending ? -1 : subscription_grace(client);
		if (grace >= 0)
			server_shorten(timeout_ms, grace);
		bool reads = !client->input_ended && !client->changed && !client->behind;
		int credit = reads && !client->is_log ? client_credit_wait(client, debtors) : 0;
		if (credit) {
			reads = false;
			server_shorten(timeout_ms, credit);
		}
		polled[count++] = (struct pollfd){.fd = client->is_log ? -1 : client->socket,
			.events = (short)((reads ? POLLIN : 0) |
				(client_pending(client) ? POLLOUT : 0))};
	}
	return count;
}

/* Takes what has come. True if the server is to stop. */
static bool take_work(struct server *server, const struct pollfd *polled, int ready)
{
	nfds_t count = POLLED_CLIENTS;
	struct client *client;

	if (server_poll_is_left(server) || !check_descriptors(server))
		return true;
	if (ready <= 0)
		return must_stop(server);
	for (client = server->clients; client; client = client->next, count++) {
		/* Both directions are shut: the client reads no more. The frames it sent
		 * earlier still count, but a subscription of a client that is gone would only
		 * open guards and close them again. */
		if (polled[count].revents & (POLLERR | POLLHUP | POLLNVAL))
			client->gone = true;
		else if (!client->gone && polled[count].revents & POLLIN)
			subscription_read(server, client);
	}
	if (polled[1].revents)
		admission_accept(server);
	uint64_t wakes;
	if (polled[0].revents && read(server->wake, &wakes, sizeof(wakes)) < 0 && errno != EAGAIN &&
		errno != EINTR)
		server->wake_refused = true;
	return must_stop(server);
}

/* Waits until there is something to do, and takes it. True if the server is to stop. */
static bool wait_for_work(struct server *server, int timeout_ms)
{
	struct pollfd polled[SERVER_POLLED_MAX];
	nfds_t count = list_work(server, polled, &timeout_ms);

	return take_work(server, polled, server_poll(server, polled, count, timeout_ms));
}

/* patient: also wait for threads that are in the middle of a record. One that has been there, or
 * has waited, for long is not waited for, unless a lossless client makes it wait. */
static bool rings_empty(bool patient, bool held)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next) {
		uint32_t busy = atomic_load(&ring->record.busy);
		bool writes = busy == RING_WAITING || (patient && busy == RING_WRITING);
		if ((writes && !(ring->stuck && !held)) ||
			atomic_load(&ring->tail) != atomic_load(&ring->record.head))
			return false;
	}
	return true;
}

static void end_streams(struct server *server, bool lossless_too)
{
	for (struct client *client = server->clients; client; client = client->next) {
		if (client->terms.lossless && !lossless_too)
			continue;
		client->subscribed = false;
		lossless_tell(server, client);
		client_finish(client, server_now(server));
	}
}

/* Lets clients go that had their time to read. A lossless client has it as long as it takes bytes,
 * or has none to take: then the events that it waits for are behind another client. */
static void dismiss_slow(struct server *server, uint64_t deadline)
{
	bool is_late = clock_monotonic() > deadline;

	for (struct client *client = server->clients; client; client = client->next) {
		if (!client->terms.lossless || client->is_log)
			client->gone |= is_late;
		else if (client_pending(client))
			client->gone |= !lossless_left(server, client);
		else
			client->waited_since = 0;
	}
	admission_drop_gone(server);
}

/* Delivers everything recorded so far and ends each stream with its marker. Slow clients get
 * limited time to read; lossless ones as long as they take bytes. */
static void finish(struct server *server)
{
	uint64_t flush = (uint64_t)server->flush_ms * 1000000u,
		 deadline = clock_monotonic() + flush;
	bool late = false, ended = false;

	server->ending = true;
	if (missed_any())
		drain_and_report(server); /* else nothing has to be counted */
	extra_census_deliver(server);
	server_samples_ask(server); /* no client requests samples any more */
	extra_sampler_close();
	extra_census_detach();
	server_socket_close(&server->endpoint);
	TEST_POINT("socket-closed");
	for (struct client *client = server->clients; client; client = client->next)
		client->waited_since = 0;
	subscription_apply(server);
	while (server->clients) {
		int timeout = SERVER_DRAIN_MS;
		drain_and_report(server);
		bool all = !server->drain.blocked &&
			rings_empty(clock_monotonic() < deadline, lossless_any_behind(server));
		if (!late && !ended && clock_monotonic() > deadline) {
			/* A lossless client, or a thread in a record, has taken all of the time:
			 * the other clients have theirs from now on. */
			late = true;
			deadline = clock_monotonic() + flush;
			if (!all) {
				drain_give_up(&server->drain, server->clients);
				end_streams(server, false);
			}
		}
		if (all) {
			end_streams(server, true);
			subscription_apply(server);
			ended = true;
		}
		serve_clients(server);
		dismiss_slow(server, deadline);
		lossless_watch(server, &timeout);
		if (server->clients && !server->cannot_wait)
			wait_for_work(server, timeout);
		if (server->left_in_parent) /* a signal handler has forked, and returned here */
			return;
		for (struct client *client = server->clients; client && server->cannot_wait;
			client = client->next)
			client->gone = true; /* it has what its socket could hold */
	}
	ring_set_listening(false);
	subscription_apply(server);
	ring_set_held(false);
	drain_collect(&server->drain);
	missed_end();
	extra_change_detach();
	extra_change_turn();
}

/* Asks the scheduler for short turns soon instead of long turns later (Linux 6.12 and later;
 * older kernels refuse): the rings must not wait for the server while every CPU is busy. */
static void ask_short_turns(void)
{
#ifdef SYS_sched_setattr
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {.size = sizeof(attributes),
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = TURN_NS};

	/* The VM's author has chosen any other policy for a reason, and it is inherited. */
	if (sched_getscheduler(0) == SCHED_OTHER)
		syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

/* Prepares to wait. Returns for how long, in ms; -1: until there is something to do. */
static int prepare(struct server *server)
{
	int timeout, sample, look;

	if (missed_check())
		subscription_apply(server);
	timeout = pace_timeout(server);
	if (missed_any())
		server_shorten(&timeout, SERVER_IDLE_MS);
	if (awaited_in_fork()) { /* calls nothing of the VM's */
		server_shorten(&timeout, SERVER_IDLE_MS);
		lossless_watch(server, &timeout);
		return timeout;
	}
	server_samples_ask(server);
	sample = extra_census_deliver(server);
	look = extra_change_turn();
	if (sample >= 0)
		server_shorten(&timeout, sample);
	if (look >= 0)
		server_shorten(&timeout, look);
	lossless_watch(server, &timeout);
	return timeout;
}

/* The rest of a turn, after the server has waited. */
static void work(struct server *server)
{
	ring_disarm();
	subscription_take_all(server);
	subscription_take_types(server);
	if (server->listening)
		drain_and_report(server);
	serve_clients(server);
}

/* One turn of the server: waits until there is something to do, and does it. False: the streams
 * must end, by finish(). */
static bool server_take_turn(struct server *server)
{
	bool stop = wait_for_work(server, prepare(server));

	if (!server_poll_is_left(server))
		work(server);
	return !stop;
}

static void *server_main(void *argument)
{
	struct server *server = argument;

	prctl(PR_SET_NAME, PLACE_MARK);
	prctl(PR_SET_TIMERSLACK, 1000);
	ask_short_turns();
	registry_block_signals(true); /* start_thread() has done it */
	ring_serve_here();
	server_say(server, "started");
	serve_clients(server); /* writes the log's header before anything can prevent it */
	while (server_take_turn(server))
		;
	if (server_poll_is_left(server))
		return NULL;
	finish(server);
	server_say(server, "ended");
	return NULL;
}

/* ---- without a thread ---- */

bool server_has_thread(const struct server *server)
{
	return server->has_thread;
}

static int set_watch(struct server *server)
{
	struct pollfd polled[SERVER_POLLED_MAX];
	int timeout = prepare(server), due = extra_sampler_turn();
	if (due >= 0)
		server_shorten(&timeout, due);
	nfds_t count = list_work(server, polled, &timeout);

	return watch_set(&server->watch, polled, count, timeout);
}

int server_first_turn(struct server *server)
{
	server_say(server, "started without a thread");
	serve_clients(server);
	return set_watch(server);
}

void server_turn(struct server *server)
{
	struct pollfd polled[SERVER_POLLED_MAX];
	int timeout = 0, ready;
	nfds_t count = list_work(server, polled, &timeout);

	/* Taking the events of a set of the program's own could hide them from the program. */
	ready = watch_is_ours(&server->watch) ? watch_take(&server->watch, polled, count) : -1;
	if (!ready)
		return;
	bool stop = take_work(server, polled, ready);
	work(server);
	if (!stop && !set_watch(server))
		return;
	if (server->process.pid == (uint32_t)getpid()) /* else a census has called fork() */
		server_end(server, NULL);
}

void server_relieve(struct server *server)
{
	unsigned present = 0;
	int timeout = 0;

	if (!server->listening)
		return;
	server->drain.yields = true;
	admission_check(server); /* the next turn examines the server's own descriptors */
	for (struct client *client = server->clients; client; client = client->next)
		present += !client->gone;
	drain_and_report(server);
	for (struct client *client = server->clients; client; client = client->next) {
		present -= !client->gone;
		if (client->is_log && !client->gone)
			follow_log(server, client);
	}
	lossless_watch(server, &timeout);
	if (present) /* the next turn frees those that have left */
		subscription_apply(server);
	server->drain.yields = server->drain.yielded = false;
}

void server_end(struct server *server, const sigset_t *waiting_mask)
{
	server->ended = true;
	server->waiting_mask = waiting_mask;
	check_descriptors(server);
	watch_set(&server->watch, NULL, 0, -1);
	finish(server);
	server->waiting_mask = NULL;
	if (!server->left_in_parent)
		server_say(server, "ended");
}

/* ---- starting and stopping ---- */

static int open_watch(struct server *server)
{
	/* Without it, the command finds the process only if its socket is at a default place. */
	server->mark = ledger_enter(descriptor_own(memfd_create(PLACE_MARK, MFD_CLOEXEC)));
	server->mark_file = descriptor_file(server->mark);
	return watch_open(&server->watch);
}

static void close_watch(struct server *server)
{
	watch_close(&server->watch);
	if (server->mark >= 0)
		ledger_close(server->mark, server->mark_file);
	server->mark = -1;
}

static void close_waker(struct server *server)
{
	if (server->wake >= 0 && ring_release_waker(server->wake))
		ledger_close(server->wake, server->wake_file);
	server->wake = -1;
}

void server_close(struct server *server)
{
	close_watch(server);
	close_waker(server);
}

void server_free(struct server *server)
{
	process_free(&server->process);
	if (!server_poll_is_left(server)) /* else the thread reads that, should it wake */
		free(server);
}

static int start_thread(struct server *server)
{
	pthread_attr_t attributes;
	sigset_t all, before;
	int error;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	error = -pthread_create(&server->thread, &attributes, server_main, server);
	if (error == -EINVAL) /* the program's thread-local storage does not fit into such a small
				 stack */
		error = -pthread_create(&server->thread, NULL, server_main, server);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

/* More than usual if the author wants larger rings or queues than usual, less where there is little
 * memory: the VM itself needs it. */
static uint64_t default_memory(const struct vmtap_options *options)
{
	uint64_t memory = BUDGET_BYTES_DEFAULT, limit = memory_limit("") / MEMORY_SHARE;
	uint64_t rings = (uint64_t)options->ring_bytes * MEMORY_RINGS;
	uint64_t queues = (uint64_t)options->queue_bytes * MEMORY_QUEUES;

	memory = rings > memory ? rings : memory;
	memory = queues > memory ? queues : memory;
	return memory > limit ? limit : memory;
}

struct server *server_new(void)
{
	struct server *server = calloc(1, sizeof(*server));

	if (!server)
		return NULL;
	server->endpoint.socket = server->wake = server->mark = -1;
	server->watch.descriptor = server->watch.timer = -1;
	return server;
}

int server_open(struct server *server, const struct vmtap_options *given, const char *user_socket,
	const char *log)
{
	struct vmtap_options options = {0};
	int error;

	if (given)
		memcpy(&options, given,
			given->size < sizeof(options) ? given->size : sizeof(options));
	server->has_thread = !options.without_thread;
	server->debugs = wants_debug();
	server->wake = ledger_enter(descriptor_own(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)));
	server->wake_file = descriptor_file(server->wake);
	error = server->wake < 0 ? server->wake : process_describe(&server->process, &options);
	if (!error && !server->has_thread)
		error = open_watch(server);
	if (error)
		return error;
	server->queue_bytes = options.queue_bytes ? options.queue_bytes : QUEUE_BYTES_DEFAULT;
	if (server->queue_bytes < QUEUE_BYTES_FIRST)
		server->queue_bytes = QUEUE_BYTES_FIRST;
	server->flush_ms = options.flush_ms ? options.flush_ms : FLUSH_MS_DEFAULT;
	ring_set_flush(server->flush_ms);
	server->lossless_ms =
		options.lossless_ms > 0 ? (uint32_t)options.lossless_ms : LOSSLESS_MS_DEFAULT;
	ring_set_patience(server->lossless_ms + PATIENCE_MORE_MS);
	server->refuses_lossless = options.lossless_ms < 0;
	budget_set(options.memory_bytes ? options.memory_bytes : default_memory(&options));
	if (options.ring_bytes)
		ring_set_size(options.ring_bytes);
	name_limit(options.name_bytes ? options.name_bytes : NAME_BYTES_DEFAULT);
	stamp_choose();
	stamp_start(&server->drain.clock);
	error = server_socket_open(&server->endpoint, user_socket ? user_socket : options.socket);
	if (error == -EADDRINUSE) /* most likely by the parent process */
		error = server_socket_open(&server->endpoint, NULL);
	if (!error && log) {
		error = admission_open_log(server, log);
		if (error)
			server_socket_close(&server->endpoint);
	}
	return error;
}

int server_run(struct server *server, const struct awaited *clients)
{
	awaited_begin(clients);
	missed_begin();
	extra_census_attach(server->wake);
	extra_change_attach(server->wake);
	ring_set_waker(server->wake);
	subscription_apply(server); /* for the log */
	int error = server->has_thread ? start_thread(server) : turn_begin(server);

	if (error) {
		missed_end();
		extra_census_detach();
		extra_change_detach();
		server_socket_close(&server->endpoint);
		for (struct client *client = server->clients; client; client = client->next)
			client->gone = true;
		admission_drop_gone(server);
	}
	return error;
}

bool server_refuses_waits(const struct server *server)
{
	return server->refuses_lossless;
}

uint32_t server_flush_ms(const struct server *server)
{
	return server->flush_ms;
}

/*
 * Waits for the end of a thread that no descriptor can wake. If it is awake, it notices that the
 * descriptors are gone and ends (lose_descriptors()). If it sleeps and may_leave is true, it is
 * left asleep. Returns 0, or ETIMEDOUT after a second.
 */
static int join_unwoken(struct server *server, bool may_leave)
{
	const uint64_t end = clock_monotonic() + CLOCK_NS_PER_S;
	int error;

	do {
		uint64_t until = clock_now(CLOCK_REALTIME) + JOIN_MS * CLOCK_NS_PER_MS;
		const struct timespec limit = {.tv_sec = (time_t)(until / CLOCK_NS_PER_S),
			.tv_nsec = (long)(until % CLOCK_NS_PER_S)};

		if (may_leave && server_poll_leave(server)) {
			turn_end_left(server);
			return 0;
		}
		error = pthread_timedjoin_np(server->thread, NULL, &limit);
	} while (error == ETIMEDOUT && clock_monotonic() < end);
	return error;
}

bool server_stop(struct server *server)
{
	int error;

	/* A child of vfork(), which exit() runs our destructor in, shares the server with its
	 * parent. */
	if (server->process.pid != (uint32_t)getpid())
		return false;
	if (!server->has_thread) {
		turn_end(server);
		awaited_end();
		return true;
	}
	registry_lock();
	int wake = has_descriptors(server) ? server->wake : -1;
	registry_unlock();
	atomic_store(&server->stopping, true);
	if (wake >= 0 && descriptor_tell(wake, server->wake_file, 1)) {
		error = pthread_join(server->thread, NULL);
	} else {
		server_socket_knock(&server->endpoint);
		error = join_unwoken(server, wake < 0);
	}
	awaited_end(); /* releases threads that still wait for a client */
	return error != ETIMEDOUT;
}

void server_fork_child(struct server *server, bool is_used, bool allocates)
{
	struct client *client = server->clients, *next;

	server->left_in_parent = true;
	server->clients = NULL;
	server->client_count = 0;
	for (; client; client = next) {
		next = client->next;
		client->socket = -1; /* the number may soon be a file of the program's */
		if (!is_used)
			client_fork_child(client);
	}
	server->endpoint.socket = -1;
	watch_fork_child(&server->watch);
	server->mark = server->wake = -1;
	if (!is_used && allocates)
		server_free(server);
}
