/* server.c: see server.h. */
#include "shim/server.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/debug_line.h"
#include "base/test_point.h"
#include "shim/census.h"
#include "shim/client.h"
#include "shim/descriptor.h"
#include "shim/drain.h"
#include "shim/name.h"
#include "shim/registry.h"
#include "shim/server_socket.h"
#include "wire/place.h"

enum {
	CLIENTS_MAX = 64,
	QUEUE_BYTES_DEFAULT = 8 << 20,
	QUEUE_BYTES_MIN = 256 << 10,
	FLUSH_MS_DEFAULT = 2000,
	LOSSLESS_MS_DEFAULT = 10000,
	DRAIN_MS = 1,
	/* After this many successive drains that found nothing, the server sleeps longer, until
	 * the next record wakes it. */
	QUIET_DRAINS = 10,
	QUIET_SLOW_DRAINS = 1,  /* the same while few events come */
	QUIET_LONG_DRAINS = 10, /* after this many, the next events are not awaited as few */
	IDLE_MS = 20,
	/* While fewer events come than one a millisecond, the server sleeps longer between drains,
	 * unless a ring fills up or a client has stated a shorter latency. */
	SLOW_MS = 22,
	SLOW_DRAINS = 16,
	REFUSED_MS = 5,
	TRACER_MS = 50, /* between two looks whether a tracer that is awaited lives */
	TRACER_LOOKS = 200,
	IDLEST_MS = 1000, /* a connection that was idle for less is not ended for another's sake */
	ACCEPTS_AT_ONCE = 8,
	/* After an error of accept4(): the first pause; each further error doubles it. */
	ACCEPT_AGAIN_MS = 100,
	ACCEPT_AGAIN_MS_MAX = 10000,
	/* The time that a client has to show that it is not a plain reader for GHC. Longer
	 * while the VM waits for its first client, because nothing is lost meanwhile. */
	GRACE_MS = 200,
	GRACE_AWAITED_MS = 1000,
	TURN_NS = 200000,
	STACK_BYTES = 256 << 10
};

struct server {
	pthread_t thread;
	struct server_socket endpoint;
	int wake; /* eventfd */
	struct descriptor_file wake_file;
	uint32_t queue_bytes;
	uint32_t flush_ms;
	struct drain drain;
	struct process process;
	struct client *clients; /* changed only under the registry's lock */
	unsigned client_count;
	uint64_t accept_after;    /* CLOCK_MONOTONIC; 0: accept at once */
	unsigned accept_pause_ms; /* the last pause after an error; 0: the last call succeeded */
	_Atomic bool stopping;    /* set before the eventfd is written to */
	bool wake_refused; /* the eventfd cannot be read: it is not polled, and stopping is read
			      regularly instead */
	bool cannot_wait;  /* every system call that waits is refused: the stream must end */
	bool listening;
	bool watches; /* a thread waited for a lossless client when the server last looked */
	uint32_t lossless_ms;
	bool refuses_lossless;
	unsigned quiet;           /* successive drains that found nothing */
	bool slow;                /* few events come: the server drains each SLOW_MS */
	unsigned drains, records; /* while it is not slow: a window of drains and what they found */
	uint32_t known_types; /* number of event types that existed when the guards were last set */
	bool debugs;          /* VMTAP_DEBUG names "server" */
	bool ending;          /* guards stay closed, whatever clients still request */
};

/* Tells whoever debugs the library what its thread does: a line on standard error. */
__attribute__((format(printf, 2, 3))) static void say(
	const struct server *server, const char *format, ...)
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

/* Whether the environment asks for that. */
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

/* A futex: whether the VM waits for a client. Not part of the server, because the waiting
 * thread may outlive it. */
static _Atomic uint32_t awaited;
/* The process whose subscription is awaited, 0: anybody's. */
static _Atomic pid_t awaited_tracer;

static uint64_t stream_now(const struct server *server)
{
	return clock_monotonic() - server->drain.clock.zero;
}

/* Lowers a timeout of poll(). */
static void shorten(int *timeout_ms, int limit_ms)
{
	if (*timeout_ms < 0 || limit_ms < *timeout_ms)
		*timeout_ms = limit_ms;
}

static void apply_subscriptions(struct server *server);

/* ---- lossless clients ---- */

/* Whether the VM waits for this client now, if any of its threads does. */
static bool holds_up(const struct server *server, const struct client *client)
{
	return client->terms.lossless && !client->is_log && !client->gone &&
		client_pending(client) && (client->behind || server->drain.blocked);
}

static bool any_behind(const struct server *server)
{
	for (const struct client *client = server->clients; client; client = client->next)
		if (client->behind && !client->gone)
			return true;
	return false;
}

/* How long the VM waits for a client that takes no byte. */
static uint64_t patience(const struct server *server)
{
	return (server->ending ? server->flush_ms : server->lossless_ms) * UINT64_C(1000000);
}

/*
 * Lets producers of lossless events go on, or keeps them waiting, as clients have read. A client
 * that takes no byte for too long while a thread waits, or after a signal has asked a thread to
 * hurry, loses events from now on. *timeout_ms is lowered to when that will be.
 */
static void watch_lossless(struct server *server, int *timeout_ms)
{
	uint64_t now = clock_monotonic();
	bool behind = any_behind(server), impatient = false, waits, hurried = false;

	if (!behind && ring_set_held(false))
		server->quiet = 0; /* threads go on now, without waking anyone */
	if (!behind && !server->drain.blocked && !server->watches)
		return;
	waits = ring_has_waiters(&impatient);
	server->watches = waits;
	for (struct client *client = server->clients; client; client = client->next) {
		if (!holds_up(server, client) || (!waits && !impatient)) {
			client->waited_since = 0;
			continue;
		}
		if (!client->waited_since || client->sent != client->waited_sent) {
			client->waited_since = now;
			client->waited_sent = client->sent;
		}
		if (!impatient && now - client->waited_since < patience(server)) {
			uint64_t left = client->waited_since + patience(server) - now;
			shorten(timeout_ms, (int)(left / 1000000 + 1));
			continue;
		}
		say(server, "client %d: no longer lossless", client->socket);
		client_hurry(client);
		hurried = true;
	}
	if (hurried) {
		server->drain.blocked = false;
		apply_subscriptions(server);
		shorten(timeout_ms, 0);
	}
}

/* Tells a client why it has begun to lose events. */
static void tell_hurried(const struct server *server, struct client *client)
{
	char text[160];

	if (!client->hurried || client->gone)
		return;
	snprintf(text, sizeof(text),
		WIRE_MESSAGE "delivery is no longer lossless: the program waited, and this client "
			     "took nothing for %u ms",
		(unsigned)(patience(server) / 1000000));
	client->hurried = !encode_message(&client->encoder, text, stream_now(server));
}

/* ---- draining ---- */

/* Tells the client which objects and probes are excluded from the stream. */
static void tell_omissions(const struct server *server, struct client *client)
{
	uint32_t now_told = registry_omissions();
	uint64_t now = stream_now(server);
	char texts[OMITTED_KINDS][REGISTRY_TEXT_BYTES];

	if (!client->subscribed || client->gone || now_told == client->omissions)
		return;
	registry_lock();
	registry_describe_omissions(texts);
	registry_unlock();
	for (unsigned i = 0; i < OMITTED_KINDS; i++)
		if (*texts[i] && !encode_message(&client->encoder, texts[i], now))
			return;
	client->omissions = now_told;
}

static void drain(struct server *server)
{
	/* before the events of objects that are loaded after this */
	for (struct client *client = server->clients; client; client = client->next)
		tell_omissions(server, client);
	drain_rings(&server->drain, server->clients);
}

/* ---- subscriptions ---- */

/* What the client wishes for the events of a type besides to get them. */
static uint8_t client_wishes(const struct client *client, uint16_t strings)
{
	return (uint8_t)((client->terms.lossless ? RING_LOSSLESS : 0) |
		(client->terms.cpu_clock && strings & ENCODE_CPU_CLOCK ? RING_CLOCKED : 0));
}

/* Updates guards, rings and waiting to match what the clients now request. */
static void apply_subscriptions(struct server *server)
{
	uint8_t wishes[EVENTS_MAX] = {0}, for_new = 0;
	bool listening = false;

	server->known_types = event_count();
	for (struct client *client = server->clients; client; client = client->next) {
		client_take_types(client);
		if (!client->subscribed || client->gone)
			continue;
		listening = true;
		if (!server->ending && client_awaits_types(client))
			for_new |= client_wishes(client, ENCODE_CPU_CLOCK) | RING_OPEN;
		for (uint32_t i = 0; i < server->known_types; i++)
			if (client->terms.wanted[i])
				wishes[i] |= client_wishes(client, client->terms.strings[i]) |
					(server->ending ? 0 : RING_OPEN);
	}
	if (listening && !server->listening)
		drain_skip(&server->drain);
	if (listening)
		ring_set_listening(true);
	TEST_POINT("rings-listening");
	registry_lock();
	registry_open(wishes, server->known_types, for_new);
	registry_unlock();
	TEST_POINT("guards-set");
	if (!listening && server->listening) {
		ring_set_listening(false);
		ring_collect();
		ring_forget();
		server->drain.blocked = server->slow = false;
	}
	server->listening = listening;
}

/* Opens the guards of event types that were added since and that clients requested by name. */
static void take_types(struct server *server)
{
	if (server->known_types != event_count())
		apply_subscriptions(server);
}

static void note_subscriber(void)
{
	if (atomic_exchange(&awaited, 0))
		syscall(SYS_futex, &awaited, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* Whether this client is the one that the VM waits for. */
static bool is_awaited(const struct client *client)
{
	pid_t tracer = atomic_load(&awaited_tracer);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	/* 0: it has no number in our pid namespace */
	return !tracer || getsockopt(client->socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) ||
		!peer.pid || peer.pid == tracer;
}

/* Sends the answer to a subscription and, before the first answer, the clock. */
static void acknowledge(struct server *server, struct client *client)
{
	struct encoder *encoder = &client->encoder;

	if (!client->acknowledge)
		return;
	encode_block_end(encoder);
	if (!client->clock_told)
		client->clock_told = encode_clock(encoder, &server->drain.clock);
	client->acknowledge = !client->clock_told ||
		!encode_subscribed(encoder, client->tag, client->tag_flags, stream_now(server));
}

static void take_frame(struct server *server, struct client *client)
{
	bool wants = false;

	client->changed = false;
	if (client->finishing)
		return;
	if (client->asked.lossless && server->refuses_lossless) {
		client->asked.lossless = false;
		client->tag_flags &= (uint8_t)~WIRE_LOSSLESS; /* the answer tells */
	}
	client_take_terms(client);
	say(server, "client %d: subscription %u, flags %#x", client->socket, (unsigned)client->tag,
		client->tag_flags);
	for (unsigned i = 0; i < CLIENT_KINDS; i++)
		wants |= client->terms.wanted[i];
	wants |= client->terms.entry_bytes > 0; /* for probes that may be added later */
	bool starts = !client->subscribed;
	if (starts)
		client->since = stamp_raw();
	client->subscribed = wants && !client->finish_asked;
	apply_subscriptions(server);
	if (starts && client->terms.cpu_clock) /* only now do all threads know of it */
		client->since = stamp_raw();
	/* An end marker needs no acknowledgement, and nothing may follow it. */
	client->finishing = client->finish_asked;
	client->acknowledge = !client->finishing && !client->terms.ghc_only;
	acknowledge(server, client);
	/* A script with only BEGIN and ticks requests no events, but the VM should run for it
	 * as well. */
	if ((client->subscribed || (!client->finish_asked && !client->terms.ghc_only)) &&
		is_awaited(client))
		note_subscriber();
}

/* Events recorded before a change are delivered under the previous terms. */
static void take_changes(struct server *server, struct client *client)
{
	while (client->changed && !client->gone) {
		if (server->listening)
			drain_rings(&server->drain, server->clients);
		if (server->listening && server->drain.blocked)
			break;
		take_frame(server, client);
		client_parse(client);
	}
}

/* The CPU time of this thread. */
static uint64_t own_cpu_time(void)
{
	struct timespec time = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

/* Takes frames one at a time: each takes effect before the next is taken. Reads only once per
 * turn, so that a client that never stops sending cannot keep the thread from the rings. */
static void read_client(struct server *server, struct client *client)
{
	uint64_t before = own_cpu_time();

	client_read(client);
	take_changes(server, client);
	client->credit -= (int64_t)(own_cpu_time() - before);
}

/* The time in ms until a client that has sent no frame is taken for a plain reader. A client
 * that has begun a frame or shut down its side has shown what it is. -1: does not apply to this
 * client. */
static int grace_left(const struct client *client)
{
	uint64_t grace = atomic_load(&awaited) ? GRACE_AWAITED_MS : GRACE_MS, passed;

	if (!client->fresh || client->gone || client->control.length)
		return -1;
	passed = (clock_monotonic() - client->connected) / 1000000;
	return client->input_ended || passed >= grace ? 0 : (int)(grace - passed);
}

static void greet_plain_readers(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		if (grace_left(client) == 0)
			client_take_default(client);
}

/* Takes the changes for plain readers, and those that had to wait. */
static void take_all_changes(struct server *server)
{
	greet_plain_readers(server);
	for (struct client *client = server->clients; client; client = client->next)
		take_changes(server, client);
}

/* ---- samples of the heap ---- */

/* Takes samples that are due and delivers finished ones. Returns the milliseconds until the
 * next is due, or -1 if none is. */
static int serve_heap(struct server *server)
{
	uint64_t now = clock_monotonic() - server->drain.clock.zero, lost;
	struct vmtap_census *census;
	struct client *client;
	bool listeners = false;
	int next;

	for (client = server->clients; client; client = client->next)
		listeners |= client->terms.wanted[CLIENT_SAMPLES] && !client->finishing;
	next = census_turn(listeners && !server->ending);
	while ((census = census_finished())) {
		uint64_t time = 0;
		if (census->time > server->drain.clock.zero) /* else from a previous server */
			time = census->time - server->drain.clock.zero;
		if (time < server->drain.watermark) /* no event may be older than the watermark */
			time = server->drain.watermark;
		for (client = server->clients; client; client = client->next)
			client_sample(client, census, time);
		census_free(census);
	}
	lost = census_lost();
	for (client = server->clients; client; client = client->next)
		client_lose(client, CLIENT_SAMPLES, lost, now);
	return next;
}

/* ---- connections ---- */

/* Takes over the descriptor and queues the description of the process. Call with the registry's
 * lock: descriptors are opened and closed under it, so that a child of fork() finds them all. */
static int open_client(struct server *server, int descriptor, struct client **result)
{
	struct client *client;
	int error = client_open(descriptor, server->queue_bytes, &client);
	uint64_t since;

	if (error) {
		close(descriptor);
		return error;
	}
	if (!server->clients && stamp_choose())
		stamp_restart(&server->drain.clock);
	client->providers = server->process.providers = registry_providers(&since);
	client->omissions = registry_has_omissions() ? 0 : registry_omissions();
	error = encode_start(&client->encoder, &server->drain.clock, &server->process);
	if (error) {
		client_close(client);
		return error;
	}
	client->wall_told = server->drain.clock.zero_real;
	client->next = server->clients;
	server->clients = client;
	server->client_count++;
	say(server, "client %d connected, %u in all", descriptor, server->client_count);
	*result = client;
	return 0;
}

static void drop_gone(struct server *server)
{
	bool any = false;

	for (const struct client *client = server->clients; client; client = client->next)
		any |= client->gone;
	if (!any)
		return;
	apply_subscriptions(server);
	registry_lock();
	for (struct client **link = &server->clients; *link;) {
		struct client *client = *link;
		if (!client->gone) {
			link = &client->next;
			continue;
		}
		*link = client->next;
		server->client_count--;
		say(server, "client %d left, %u remain", client->socket, server->client_count);
		client_close(client);
	}
	registry_unlock();
}

/* Ends the connection that was idle for longest, and tells it why. False: none was for long. */
static bool end_idlest(struct server *server)
{
	uint64_t now = clock_monotonic();
	struct client *idlest = NULL;
	char text[160];

	for (struct client *client = server->clients; client; client = client->next)
		if (!client->is_log && !client->gone &&
			now - client->active >= IDLEST_MS * UINT64_C(1000000) &&
			(!idlest || client->active < idlest->active))
			idlest = client;
	if (!idlest)
		return false;
	snprintf(text, sizeof(text),
		WIRE_MESSAGE
		"the connection is ended: of %d, the most there may be, it was idle for "
		"longest, and another client has come",
		CLIENTS_MAX);
	say(server, "client %d is ended, idle for longest", idlest->socket);
	idlest->subscribed = false;
	if (encode_message(&idlest->encoder, text, stream_now(server)))
		client_finish(idlest, stream_now(server));
	client_send(idlest);
	idlest->gone = true;
	drop_gone(server);
	return true;
}

/* Takes at most a few, because the lock is held meanwhile. */
static void accept_clients(struct server *server)
{
	struct client *client;
	bool refused = false;
	int socket = 0;

	if (server->client_count == CLIENTS_MAX && !end_idlest(server)) {
		server->accept_pause_ms = ACCEPT_AGAIN_MS;
		server->accept_after = clock_monotonic() + ACCEPT_AGAIN_MS * UINT64_C(1000000);
		return;
	}
	registry_lock();
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE && server->client_count < CLIENTS_MAX; i++) {
		socket = server_socket_accept(&server->endpoint, &refused);
		if (socket >= 0)
			open_client(server, socket, &client);
		else if (!refused && socket != -EINTR && socket != -ECONNABORTED)
			break;
		TEST_POINT("client-accepted");
	}
	registry_unlock();
	if (socket >= 0 || refused || socket == -EAGAIN || socket == -EWOULDBLOCK) {
		server->accept_pause_ms = 0;
		return;
	}
	/* Out of descriptors or memory, or a sandbox refuses the call. The connection still
	 * waits, so poll() would return at once. */
	server->accept_pause_ms =
		server->accept_pause_ms ? server->accept_pause_ms * 2 : ACCEPT_AGAIN_MS;
	if (server->accept_pause_ms > ACCEPT_AGAIN_MS_MAX)
		server->accept_pause_ms = ACCEPT_AGAIN_MS_MAX;
	server->accept_after = clock_monotonic() + server->accept_pause_ms * UINT64_C(1000000);
}

/* Opens the log, a client of all events from the server's start on. Call with the registry's
 * lock. */
static int open_log(struct server *server, const char *path)
{
	struct client *client;
	char expanded[PATH_MAX];
	int file, error;

	if (!place_expand(path, server->process.pid, expanded, sizeof(expanded)))
		return -ENAMETOOLONG;
	file = log_file_open(expanded);
	error = file < 0 ? file : open_client(server, file, &client);
	if (error)
		return error;
	client->is_log = client->subscribed = true;
	client_take_all(client);
	client_take_terms(client);
	client->clock_told = encode_clock(&client->encoder, &server->drain.clock);
	client->since = stamp_raw();
	return 0;
}

/* A program that closes all descriptors it does not know, as daemons do, has closed the
 * server's too. Their numbers may belong to the program by now; then they must not be read,
 * written or closed. */
static bool has_descriptors(const struct server *server)
{
	return server_socket_is_ours(&server->endpoint) &&
		descriptor_is(server->wake, server->wake_file);
}

static void lose_descriptors(struct server *server)
{
	ring_set_waker(-1);
	census_detach();
	registry_lock();
	if (!descriptor_is(server->wake, server->wake_file))
		server->wake = -1;
	if (server_socket_is_ours(&server->endpoint))
		server_socket_close(&server->endpoint);
	else
		server_socket_abandon(&server->endpoint);
	for (struct client *client = server->clients; client; client = client->next)
		client->gone = true;
	registry_unlock();
	note_subscriber(); /* no client will come that anyone could wait for */
}

/* The program may also have closed only some clients' descriptors. */
static void lose_clients(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		client->gone |= !descriptor_is(client->socket, client->file);
}

/* Sleeps, by whichever call is allowed. False: none is. */
static bool pause_for(int wait_ms)
{
	const struct timespec pause = {
		.tv_sec = wait_ms / 1000, .tv_nsec = wait_ms % 1000 * 1000000L};
	static uint32_t never;
	const uint64_t end = clock_monotonic() + (uint64_t)wait_ms * 1000000u;

	nanosleep(&pause, NULL);
	if (clock_monotonic() >= end)
		return true;
	syscall(SYS_futex, &never, FUTEX_WAIT_PRIVATE, 0, &pause, NULL, 0);
	return clock_monotonic() >= end;
}

/* poll() fails in a sandbox that refuses it, or that allows the process fewer descriptors than
 * it is given (RLIMIT_NOFILE of 0). No descriptor blocks, so each is simply tried after a
 * while. */
static int try_all(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	int wait_ms = timeout_ms < 0 || timeout_ms > REFUSED_MS ? REFUSED_MS : timeout_ms;

	server->cannot_wait = !pause_for(wait_ms ? wait_ms : DRAIN_MS);
	for (nfds_t i = 0; i < count; i++)
		polled[i].revents = polled[i].fd >= 0 ? polled[i].events : 0;
	return 1;
}

static int poll_or_try(struct server *server, struct pollfd *polled, nfds_t count, int timeout_ms)
{
	uint64_t before = clock_monotonic();
	int ready = poll(polled, count, timeout_ms);

	if (ready > 0 || (ready < 0 && errno == EINTR))
		return ready;
	/* A sandbox may also pretend that the call has succeeded. */
	if (ready == 0 && timeout_ms >= 0 &&
		clock_monotonic() - before >= (uint64_t)timeout_ms * 1000000u)
		return 0;
	return try_all(server, polled, count, timeout_ms);
}

/* The VM waits for its log, but not for a full disk. */
static void follow_log(struct server *server, struct client *client)
{
	if (client->log.full && client->finishing)
		client->gone = !client_abandon(client);
	if (client->terms.lossless != client->log.full || client->gone)
		return;
	client->terms.lossless = !client->log.full;
	client->encoder.grow_max = client->log.full ? 0 : SIZE_MAX;
	apply_subscriptions(server);
}

/* Queues acknowledgements and end markers that are due, and sends. */
static void serve_client(struct server *server, struct client *client)
{
	bool due;

	do {
		uint64_t now = stream_now(server);
		acknowledge(server, client);
		tell_omissions(server, client);
		tell_hurried(server, client);
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
	drop_gone(server);
}

static bool must_stop(const struct server *server)
{
	return server->cannot_wait || atomic_load(&server->stopping);
}

/* Waits until there is something to do. True if the server is to stop. */
static bool wait_for_work(struct server *server, int timeout_ms)
{
	bool accepts = true;
	unsigned debtors = 0;
	struct pollfd polled[CLIENTS_MAX + 2] = {
		{.fd = server->wake_refused ? -1 : server->wake, .events = POLLIN}};
	nfds_t count = 2;
	struct client *client;

	if (server->accept_after && clock_monotonic() < server->accept_after) {
		accepts = false;
		shorten(&timeout_ms, (int)server->accept_pause_ms);
	} else {
		server->accept_after = 0;
	}
	if (server->wake_refused)
		shorten(&timeout_ms, IDLE_MS);
	polled[1] = (struct pollfd){.fd = accepts ? server->endpoint.socket : -1, .events = POLLIN};

	for (client = server->clients; client; client = client->next)
		debtors += client->credit < 0;
	for (client = server->clients; client; client = client->next) {
		int grace = server->ending ? -1 : grace_left(client);
		if (grace >= 0)
			shorten(&timeout_ms, grace);
		bool reads = !client->input_ended && !client->changed && !client->behind;
		int credit = reads && !client->is_log ? client_credit_wait(client, debtors) : 0;
		if (credit) {
			reads = false;
			shorten(&timeout_ms, credit);
		}
		polled[count++] = (struct pollfd){.fd = client->is_log ? -1 : client->socket,
			.events = (short)((reads ? POLLIN : 0) |
				(client_pending(client) ? POLLOUT : 0))};
	}
	int ready = poll_or_try(server, polled, count, timeout_ms);
	if (!server->ending && !has_descriptors(server)) {
		lose_descriptors(server);
		return true;
	}
	lose_clients(server);
	if (ready <= 0)
		return must_stop(server);
	count = 2;
	for (client = server->clients; client; client = client->next, count++) {
		/* Both directions are shut: the client reads no more. The frames it sent
		 * earlier still count, but a subscription of a client that is gone would only
		 * open guards and close them again. */
		if (polled[count].revents & (POLLERR | POLLHUP | POLLNVAL))
			client->gone = true;
		else if (!client->gone && polled[count].revents & POLLIN)
			read_client(server, client);
	}
	if (polled[1].revents)
		accept_clients(server);
	uint64_t wakes;
	if (polled[0].revents && read(server->wake, &wakes, sizeof(wakes)) < 0 && errno != EAGAIN &&
		errno != EINTR)
		server->wake_refused = true;
	return must_stop(server);
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
		tell_hurried(server, client);
		client_finish(client, stream_now(server));
	}
}

/* Lets clients go that had their time to read. A lossless client has it as long as it takes
 * bytes. */
static void dismiss_slow(struct server *server, uint64_t deadline)
{
	uint64_t now = clock_monotonic();

	for (struct client *client = server->clients; client; client = client->next) {
		if (client->sent != client->waited_sent || !client->waited_since) {
			client->waited_since = now;
			client->waited_sent = client->sent;
		}
		client->gone |= client->terms.lossless && !client->is_log
			? now - client->waited_since > patience(server)
			: now > deadline;
	}
	drop_gone(server);
}

/* Delivers everything recorded so far and ends each stream with its marker. Slow clients get
 * limited time to read; lossless ones as long as they take bytes. */
static void finish(struct server *server)
{
	uint64_t flush = (uint64_t)server->flush_ms * 1000000u,
		 deadline = clock_monotonic() + flush;
	bool late = false;

	server->ending = true;
	serve_heap(server);
	census_detach();
	registry_lock(); /* a child of fork() closes the descriptors it finds here */
	server_socket_close(&server->endpoint);
	registry_unlock();
	TEST_POINT("socket-closed");
	for (struct client *client = server->clients; client; client = client->next)
		client->waited_since = 0;
	apply_subscriptions(server);
	while (server->clients) {
		int timeout = DRAIN_MS;
		drain(server);
		bool all = !server->drain.blocked &&
			rings_empty(clock_monotonic() < deadline, any_behind(server));
		if (!all && !late && clock_monotonic() > deadline) {
			/* A lossless client does not read: do not let the others wait for it. */
			late = true;
			deadline = clock_monotonic() + flush;
			end_streams(server, false);
		}
		if (all) {
			end_streams(server, true);
			apply_subscriptions(server);
		}
		serve_clients(server);
		dismiss_slow(server, deadline);
		watch_lossless(server, &timeout);
		if (server->clients && !server->cannot_wait)
			wait_for_work(server, timeout);
		for (struct client *client = server->clients; client && server->cannot_wait;
			client = client->next)
			client->gone = true; /* it has what its socket could hold */
	}
	ring_set_listening(false);
	apply_subscriptions(server);
	ring_set_held(false);
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

/* Whether no client that is subscribed can take a byte now. */
static bool all_stall(const struct server *server)
{
	bool any = false;

	for (const struct client *client = server->clients; client; client = client->next) {
		if (!client->subscribed || client->gone)
			continue;
		if (client->is_log || !client_pending(client))
			return false;
		any = true;
	}
	return any;
}

/* The latency that clients want, in ms; *chosen: all of them have stated one. */
static int wanted_latency(const struct server *server, bool *chosen)
{
	int latency = -1;

	*chosen = true;
	for (const struct client *client = server->clients; client; client = client->next) {
		if (!client->subscribed || client->gone || client->is_log)
			continue;
		*chosen &= client->latency_ms > 0;
		shorten(&latency, client->latency_ms ? (int)client->latency_ms : SLOW_MS);
	}
	return latency < 0 ? SLOW_MS : latency;
}

/* Whether so few events come that each need not be delivered at once. */
static bool is_slow(struct server *server)
{
	if (server->slow) {
		server->slow = server->drain.records <= 2 * SLOW_MS;
		server->drains = server->records = 0;
		return server->slow;
	}
	server->records += server->drain.records;
	if (++server->drains < SLOW_DRAINS)
		return false;
	server->slow = server->records < SLOW_DRAINS;
	server->drains = server->records = 0;
	return server->slow;
}

/* The time until the next drain, in ms. Producers need not notify the server before: it looks after
 * a millisecond or, if that is soon enough, later, and is woken if a ring fills up meanwhile. If
 * nothing comes at all, the next record wakes it. */
static int drain_timeout(struct server *server)
{
	bool chosen;

	if (!server->listening)
		return -1;
	if (all_stall(server)) {
		/* A client that reads again ends the sleep, and so does a ring that fills. A full
		 * one that has to stay so must not. */
		if (server->drain.blocked || ring_arm(false))
			return -1;
		return DRAIN_MS;
	}
	if (server->drain.blocked)
		return IDLE_MS;
	if (server->drain.found_much)
		return 0;
	int latency = wanted_latency(server, &chosen);
	server->quiet = server->drain.found_any ? 0 : server->quiet + 1;
	if (chosen && latency >= IDLE_MS)
		return ring_arm(false) ? latency : DRAIN_MS;
	if (server->quiet > (server->slow ? QUIET_SLOW_DRAINS : QUIET_DRAINS)) {
		server->drains = server->records = 0;
		server->slow &= server->quiet <= QUIET_LONG_DRAINS;
		return ring_arm(true) ? IDLE_MS : DRAIN_MS;
	}
	bool slow = is_slow(server) || chosen;
	return slow && latency > DRAIN_MS && ring_arm(false) ? latency : DRAIN_MS;
}

/* One turn of the server: waits until there is something to do, and does it. False: the streams
 * must end, by finish(). */
static bool take_turn(struct server *server)
{
	int timeout = drain_timeout(server), sample = serve_heap(server);

	if (sample >= 0)
		shorten(&timeout, sample);
	watch_lossless(server, &timeout);
	bool stop = wait_for_work(server, timeout);
	ring_disarm();
	take_all_changes(server);
	take_types(server);
	if (server->listening)
		drain(server);
	serve_clients(server);
	return !stop;
}

static void *server_main(void *argument)
{
	struct server *server = argument;

	prctl(PR_SET_NAME, "vmtap");
	prctl(PR_SET_TIMERSLACK, 1000);
	ask_short_turns();
	say(server, "started");
	serve_clients(server); /* writes the log's header before anything can prevent it */
	while (take_turn(server))
		;
	finish(server);
	say(server, "ended");
	return NULL;
}

/* ---- starting and stopping ---- */

static void close_waker(struct server *server)
{
	if (server->wake >= 0 && ring_release_waker(server->wake) &&
		descriptor_is(server->wake, server->wake_file))
		close(server->wake);
}

static void free_memory(struct server *server)
{
	process_free(&server->process);
	free(server);
}

void server_free(struct server *server)
{
	close_waker(server);
	free_memory(server);
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

int server_new(const struct vmtap_options *given, const char *user_socket, const char *log,
	struct server **result)
{
	struct vmtap_options options = {0};
	struct server *server = calloc(1, sizeof(*server));
	int error;

	if (!server)
		return -ENOMEM;
	if (given)
		memcpy(&options, given,
			given->size < sizeof(options) ? given->size : sizeof(options));
	server->endpoint.socket = -1;
	server->debugs = wants_debug();
	server->wake = descriptor_own(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
	server->wake_file = descriptor_file(server->wake);
	error = server->wake < 0 ? server->wake : process_describe(&server->process, &options);
	if (error)
		goto out;
	server->queue_bytes = options.queue_bytes ? options.queue_bytes : QUEUE_BYTES_DEFAULT;
	if (server->queue_bytes < QUEUE_BYTES_MIN)
		server->queue_bytes = QUEUE_BYTES_MIN;
	server->flush_ms = options.flush_ms ? options.flush_ms : FLUSH_MS_DEFAULT;
	ring_set_flush(server->flush_ms);
	server->lossless_ms =
		options.lossless_ms > 0 ? (uint32_t)options.lossless_ms : LOSSLESS_MS_DEFAULT;
	server->refuses_lossless = options.lossless_ms < 0;
	if (options.ring_bytes)
		ring_set_size(options.ring_bytes);
	if (options.name_bytes)
		name_limit(options.name_bytes);
	stamp_choose();
	stamp_start(&server->drain.clock);
	error = server_socket_open(&server->endpoint, user_socket ? user_socket : options.socket);
	if (error == -EADDRINUSE) /* most likely by the parent process */
		error = server_socket_open(&server->endpoint, NULL);
	if (!error && log) {
		error = open_log(server, log);
		if (error)
			server_socket_close(&server->endpoint);
	}
out:
	if (error) {
		server_free(server);
		return error;
	}
	*result = server;
	return 0;
}

int server_run(struct server *server, const struct server_awaited *client)
{
	atomic_store(&awaited_tracer, client ? client->tracer : 0);
	atomic_store(&awaited, client != NULL);
	census_attach(server->wake);
	ring_set_waker(server->wake);
	apply_subscriptions(server); /* for the log */
	int error = start_thread(server);

	if (error) {
		census_detach();
		registry_lock(); /* a child of fork() closes the descriptors it finds here */
		server_socket_close(&server->endpoint);
		registry_unlock();
		for (struct client *client = server->clients; client; client = client->next)
			client->gone = true;
		drop_gone(server);
	}
	return error;
}

void server_wait(const struct server_awaited *client)
{
	const struct timespec while_tracer_lives = {.tv_nsec = TRACER_MS * 1000000L};
	unsigned looks = 0;

	while (atomic_load(&awaited)) {
		if (client->tracer &&
			((client->is_limited && looks++ == TRACER_LOOKS) ||
				(kill(client->tracer, 0) && errno == ESRCH))) {
			note_subscriber(); /* it does not come */
			return;
		}
		if (syscall(SYS_futex, &awaited, FUTEX_WAIT_PRIVATE, 1,
			    client->tracer ? &while_tracer_lives : NULL, NULL, 0) &&
			errno != EAGAIN && errno != EINTR && errno != ETIMEDOUT &&
			!pause_for(REFUSED_MS))
			return; /* nothing may wait here */
	}
}

bool server_stop(struct server *server)
{
	struct timespec limit;
	int error;

	if (server->process.pid != (uint32_t)getpid())
		return true; /* a child created without our fork handlers: the thread is its
				parent's */
	registry_lock();
	int wake = has_descriptors(server) ? server->wake : -1;
	registry_unlock();
	atomic_store(&server->stopping, true);
	if (wake >= 0 && descriptor_tell(wake, server->wake_file, 1)) {
		error = pthread_join(server->thread, NULL);
	} else { /* see lose_descriptors(): the thread has noticed, or it sleeps and this wakes it
		  */
		server_socket_knock(&server->endpoint);
		clock_gettime(CLOCK_REALTIME, &limit);
		limit.tv_sec++;
		error = pthread_timedjoin_np(server->thread, NULL, &limit);
	}
	note_subscriber(); /* releases threads that still wait for a client */
	return error != ETIMEDOUT;
}

void server_fork_child(struct server *server, bool frees)
{
	atomic_store(&awaited, 0);
	for (struct client *client = server->clients, *next; client; client = next) {
		next = client->next;
		if (frees)
			client_close(client);
		else if (descriptor_is(client->socket, client->file))
			close(client->socket);
	}
	server->clients = NULL;
	if (server_socket_is_ours(&server->endpoint))
		close(server->endpoint.socket);
	close_waker(server);
	if (frees)
		free_memory(server);
}
