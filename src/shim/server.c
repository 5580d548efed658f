/* server.c: see server.h. */
#include "shim/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shim/client.h"
#include "shim/drain.h"
#include "shim/endpoint.h"
#include "shim/name.h"
#include "shim/registry.h"

enum {
	CLIENTS_MAX = 64,
	QUEUE_BYTES_DEFAULT = 8 << 20,
	QUEUE_BYTES_MIN = 256 << 10,
	FLUSH_MS_DEFAULT = 2000,
	DRAIN_MS = 1,
	ACCEPT_AGAIN_MS = 100,
	ARGUMENTS_MAX = 60000,
	RUNTIME_MAX = 1024,
	TURN_NS = 200000,
	STACK_BYTES = 256 << 10
};

struct server {
	pthread_t thread;
	struct endpoint endpoint;
	int wake; /* eventfd: stop */
	uint32_t queue_bytes;
	uint32_t flush_ms;
	struct drain drain;
	struct encode_process process;
	char *runtime, *arguments;
	struct client *clients; /* changed under the registry's lock only */
	unsigned client_count;
	uint64_t accept_after; /* CLOCK_MONOTONIC; 0: at once */
	bool listening;
	pthread_mutex_t wait_lock;
	pthread_cond_t wait_changed;
	bool has_subscribed;
	bool ending; /* guards stay closed, whatever clients still ask for */
	_Atomic unsigned references;
};

/* ---- draining ---- */

/* A client that must lose nothing has much to read. What it asks for waits as well: each
 * change of a subscription lets what the rings hold into its queue. */
static bool is_behind(const struct client *client)
{
	return client->lossless && client->subscribed && !client->gone &&
		queue_length(&client->encoder.queue) > client->encoder.queue.capacity / 2;
}

/* As long as one is, the rings keep what they have. */
static bool held_back(const struct server *server)
{
	for (const struct client *client = server->clients; client; client = client->next)
		if (is_behind(client))
			return true;
	return false;
}

/* Drains, unless a client holds it back. */
static bool drain_if_allowed(struct server *server)
{
	if (held_back(server))
		return false;
	drain_rings(&server->drain, server->clients);
	return true;
}

/* ---- subscriptions ---- */

/* Makes guards, rings and waiting agree with what the clients now want. */
static void apply_subscriptions(struct server *server)
{
	bool wanted[EVENT_TYPES] = {false}, listening = false, lossless = false;

	for (struct client *client = server->clients; client; client = client->next) {
		if (!client->subscribed || client->gone)
			continue;
		listening = true;
		lossless |= client->lossless;
		for (unsigned i = 0; i < EVENT_TYPES; i++)
			wanted[i] |= client->wanted[i] && !server->ending;
	}
	if (listening && !server->listening)
		drain_skip(&server->drain);
	if (listening)
		ring_set_listening(true);
	ring_set_lossless(lossless);
	registry_lock();
	registry_open(wanted);
	registry_unlock();
	if (!listening && server->listening) {
		ring_set_listening(false);
		ring_collect();
		ring_forget();
	}
	server->listening = listening;
}

static void note_subscriber(struct server *server)
{
	pthread_mutex_lock(&server->wait_lock);
	server->has_subscribed = true;
	pthread_cond_broadcast(&server->wait_changed);
	pthread_mutex_unlock(&server->wait_lock);
}

static void take_frame(struct server *server, struct client *client)
{
	bool was = client->subscribed;
	bool wants = false;

	client->changed = false;
	if (client->finishing)
		return;
	for (unsigned i = 0; i < EVENT_TYPES; i++)
		wants |= client->wanted[i];
	if (!was)
		client->since = clock_raw();
	client->subscribed = wants && !client->finish_asked;
	apply_subscriptions(server);
	/* An end marker is its own acknowledgement: nothing may follow it. */
	client->finishing = client->finish_asked;
	encode_block_end(&client->encoder);
	client->acknowledge = !client->finishing &&
		!encode_subscribed(&client->encoder, client->tag, clock_monotonic() - server->drain.clock.zero);
	if (client->subscribed)
		note_subscriber(server);
}

/* Frames, one at a time: each takes effect before the next is taken. What was recorded
 * before a change is delivered by the terms of before. One read a turn: a client that never
 * stops talking must not keep the thread from the rings. */
static void read_client(struct server *server, struct client *client)
{
	client_read(client);
	do {
		if (client->changed && server->listening && !client->gone) {
			bool wanted[EVENT_TYPES];
			memcpy(wanted, client->wanted, sizeof(wanted));
			memcpy(client->wanted, client->before, sizeof(wanted));
			drain_rings(&server->drain, server->clients);
			memcpy(client->wanted, wanted, sizeof(wanted));
		}
		if (!client->changed)
			break;
		take_frame(server, client);
		memcpy(client->before, client->wanted, sizeof(client->before));
		client_parse(client);
	} while (!client->gone);
}

/* ---- connections ---- */

static void accept_clients(struct server *server)
{
	while (server->client_count < CLIENTS_MAX) {
		struct client *client;
		int socket = endpoint_accept(&server->endpoint);

		if (socket == -EAGAIN || socket == -EWOULDBLOCK)
			return;
		if (socket == -EPERM || socket == -EINTR || socket == -ECONNABORTED)
			continue;
		if (socket < 0) { /* no descriptor or memory is left: not at once again */
			server->accept_after = clock_monotonic() + ACCEPT_AGAIN_MS * UINT64_C(1000000);
			return;
		}
		if (client_open(socket, server->queue_bytes, &client)) {
			close(socket);
			continue;
		}
		if (encode_start(&client->encoder, &server->drain.clock, &server->process)) {
			client_close(client);
			continue;
		}
		registry_lock();
		client->next = server->clients;
		server->clients = client;
		server->client_count++;
		registry_unlock();
	}
}

static void drop_gone(struct server *server)
{
	struct client *gone = NULL;

	registry_lock();
	for (struct client **link = &server->clients; *link;) {
		struct client *client = *link;
		if (!client->gone) {
			link = &client->next;
			continue;
		}
		*link = client->next;
		client->next = gone;
		gone = client;
		server->client_count--;
	}
	registry_unlock();
	if (gone)
		apply_subscriptions(server);
	while (gone) {
		struct client *next = gone->next;
		client_close(gone);
		gone = next;
	}
}

static void acknowledge(struct server *server, struct client *client)
{
	if (!client->acknowledge)
		return;
	encode_block_end(&client->encoder);
	client->acknowledge = !encode_subscribed(
		&client->encoder, client->tag, clock_monotonic() - server->drain.clock.zero);
}

/* Acknowledgements and end markers that are due, and sending. */
static void serve_client(struct server *server, struct client *client)
{
	bool due;

	do {
		uint64_t now = clock_monotonic() - server->drain.clock.zero;
		encode_block_end(&client->encoder);
		acknowledge(server, client);
		if (client->finishing && !client->end_queued) {
			client_mark(client, server->drain.watermark, now);
			client_finish(client);
		}
		client_send(client);
		due = client->acknowledge || (client->finishing && !client->end_queued);
		/* What is due had no room, and nothing else may come to wake this thread. */
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

/* Waits for whatever there is to do. True when the server is to stop. */
static bool wait_for_work(struct server *server, int timeout_ms)
{
	bool accepts = server->client_count < CLIENTS_MAX;
	struct pollfd polled[CLIENTS_MAX + 2] = {{.fd = server->wake, .events = POLLIN}};
	nfds_t count = 2;
	struct client *client;

	if (server->accept_after && clock_monotonic() < server->accept_after) {
		accepts = false;
		if (timeout_ms < 0)
			timeout_ms = ACCEPT_AGAIN_MS;
	} else {
		server->accept_after = 0;
	}
	polled[1] = (struct pollfd){.fd = accepts ? server->endpoint.socket : -1, .events = POLLIN};

	for (client = server->clients; client; client = client->next)
		polled[count++] = (struct pollfd){.fd = client->socket,
			.events = (short)((client->input_ended || is_behind(client) ? 0 : POLLIN) |
				(client_pending(client) ? POLLOUT : 0))};
	if (poll(polled, count, timeout_ms) <= 0)
		return false;
	count = 2;
	for (client = server->clients; client; client = client->next, count++) {
		/* Both sides shut: nobody will read any more. What it said before still counts, but a
		 * subscription of one who is gone would only open guards and close them. */
		if (polled[count].revents & (POLLERR | POLLHUP | POLLNVAL))
			client->gone = true;
		else if (polled[count].revents & POLLIN)
			read_client(server, client);
	}
	if (polled[1].revents & POLLIN)
		accept_clients(server);
	uint64_t stops;
	return (polled[0].revents & POLLIN) && read(server->wake, &stops, sizeof(stops)) > 0;
}

/* patient: also waits for threads that are in the middle of a record. */
static bool rings_empty(bool patient)
{
	for (struct ring *ring = ring_first(); ring; ring = ring->next) {
		uint32_t busy = atomic_load(&ring->record.busy);
		if (busy == RING_WAITING || (patient && busy == RING_WRITING) ||
			atomic_load(&ring->tail) != atomic_load(&ring->record.head))
			return false;
	}
	return true;
}

static void end_streams(struct server *server, bool lossless_too)
{
	for (struct client *client = server->clients; client; client = client->next) {
		if (client->lossless && !lossless_too)
			continue;
		client->subscribed = false;
		client_finish(client);
	}
}

/* Everything recorded until now is delivered, each stream gets its end marker, and slow
 * clients have their time; lossless ones as long as they live. */
static void finish(struct server *server)
{
	const bool none[EVENT_TYPES] = {false};
	uint64_t flush = (uint64_t)server->flush_ms * 1000000u, deadline = clock_monotonic() + flush;
	bool late = false;

	server->ending = true;
	registry_lock(); /* a child of fork() closes what it finds here */
	endpoint_close(&server->endpoint);
	registry_open(none);
	registry_unlock();
	while (server->clients) {
		bool all = drain_if_allowed(server) && rings_empty(clock_monotonic() < deadline);
		if (!all && !late && clock_monotonic() > deadline) {
			/* A lossless client does not read: the others are not to wait for it. */
			late = true;
			deadline += flush;
			drain_rings(&server->drain, server->clients);
			end_streams(server, false);
		}
		if (all) {
			end_streams(server, true);
			ring_set_lossless(false);
		}
		serve_clients(server);
		if (clock_monotonic() > deadline) {
			for (struct client *client = server->clients; client; client = client->next)
				client->gone |= !client->lossless;
			drop_gone(server);
		}
		if (server->clients)
			wait_for_work(server, DRAIN_MS);
	}
	ring_set_listening(false);
	ring_set_lossless(false);
}

/* Asks for short turns, soon, instead of long ones, later (Linux 6.12 and on; refused before):
 * the rings must not wait for their reader while every CPU is busy. */
static void ask_short_turns(void)
{
#ifdef SYS_sched_setattr
	struct {
		uint32_t size, policy;
		uint64_t flags;
		int32_t nice;
		uint32_t priority;
		uint64_t runtime, deadline, period;
	} attributes = {.size = sizeof(attributes), .nice = getpriority(PRIO_PROCESS, 0),
		.runtime = TURN_NS};

	syscall(SYS_sched_setattr, 0, &attributes, 0);
#endif
}

static void *server_main(void *argument)
{
	struct server *server = argument;
	bool stop = false;

	prctl(PR_SET_NAME, "vmtap");
	prctl(PR_SET_TIMERSLACK, 1000);
	ask_short_turns();
	while (!stop) {
		int timeout = !server->listening ? -1 : server->drain.found_much ? 0 : DRAIN_MS;
		stop = wait_for_work(server, timeout);
		if (server->listening)
			drain_if_allowed(server);
		serve_clients(server);
	}
	finish(server);
	return NULL;
}

/* ---- starting and stopping ---- */

/* The command line as the kernel keeps it: each argument and a NUL. */
static size_t read_command_line(char **bytes)
{
	int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	size_t length = 0, room = 1024;
	ssize_t got = 1;

	*bytes = malloc(room);
	while (file >= 0 && *bytes && got > 0 && length < ARGUMENTS_MAX) {
		if (length == room) {
			char *more = realloc(*bytes, room * 2);
			if (!more)
				break;
			*bytes = more;
			room *= 2;
		}
		got = read(file, *bytes + length, room - length);
		length += got > 0 ? (size_t)got : 0;
	}
	if (file >= 0)
		close(file);
	return length < ARGUMENTS_MAX ? length : ARGUMENTS_MAX;
}

static size_t join_arguments(const struct vmtap_options *options, char **bytes)
{
	size_t length = 0;
	int count = 0;

	for (; count < options->argument_count; count++) {
		size_t more = strlen(options->arguments[count]) + 1;
		if (more > ARGUMENTS_MAX - length)
			break;
		length += more;
	}
	char *at = *bytes = malloc(length + 1);
	for (int i = 0; at && i < count; i++)
		at = stpcpy(at, options->arguments[i]) + 1;
	return length;
}

static int describe_process(struct server *server, const struct vmtap_options *options)
{
	struct encode_process *process = &server->process;
	const char *runtime = options->runtime ? options->runtime : program_invocation_short_name;

	process->pid = (uint32_t)getpid();
	process->parent = (uint32_t)getppid();
	process->caps = options->caps ? options->caps : 1;
	server->runtime = strndup(runtime, RUNTIME_MAX);
	process->arguments_length = options->arguments && options->argument_count > 0 ?
		join_arguments(options, &server->arguments) : read_command_line(&server->arguments);
	if (!server->runtime || !server->arguments)
		return -ENOMEM;
	process->runtime = server->runtime;
	process->arguments = server->arguments;
	return 0;
}

/* The condition is not destroyed: in a child, a thread of the parent may wait for it for ever. */
static void server_free(struct server *server)
{
	if (server->wake >= 0)
		close(server->wake);
	free(server->runtime);
	free(server->arguments);
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
	if (error == -EINVAL) /* the program's thread-local storage leaves no room in so little */
		error = -pthread_create(&server->thread, NULL, server_main, server);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);
	return error;
}

int server_new(const struct vmtap_options *given, struct server **result)
{
	struct vmtap_options options = {0};
	struct server *server = calloc(1, sizeof(*server));
	int error;

	if (!server)
		return -ENOMEM;
	if (given)
		memcpy(&options, given, given->size < sizeof(options) ? given->size : sizeof(options));
	server->endpoint.socket = -1;
	atomic_init(&server->references, 1);
	pthread_mutex_init(&server->wait_lock, NULL);
	pthread_cond_init(&server->wait_changed, NULL);
	server->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	error = server->wake < 0 ? -errno : describe_process(server, &options);
	if (error)
		goto out;
	server->queue_bytes = options.queue_bytes ? options.queue_bytes : QUEUE_BYTES_DEFAULT;
	if (server->queue_bytes < QUEUE_BYTES_MIN)
		server->queue_bytes = QUEUE_BYTES_MIN;
	server->flush_ms = options.flush_ms ? options.flush_ms : FLUSH_MS_DEFAULT;
	if (options.ring_bytes)
		ring_set_size(options.ring_bytes);
	if (options.name_bytes)
		name_limit(options.name_bytes);
	clock_choose();
	clock_start(&server->drain.clock);
	error = endpoint_open(&server->endpoint, options.socket);
out:
	if (error) {
		server_free(server);
		return error;
	}
	*result = server;
	return 0;
}

int server_run(struct server *server)
{
	int error = start_thread(server);

	if (error)
		endpoint_close(&server->endpoint);
	return error;
}

void server_hold(struct server *server)
{
	atomic_fetch_add(&server->references, 1);
}

void server_release(struct server *server)
{
	if (atomic_fetch_sub(&server->references, 1) == 1)
		server_free(server);
}

void server_wait(struct server *server)
{
	pthread_mutex_lock(&server->wait_lock);
	while (!server->has_subscribed)
		pthread_cond_wait(&server->wait_changed, &server->wait_lock);
	pthread_mutex_unlock(&server->wait_lock);
	server_release(server);
}

void server_stop(struct server *server)
{
	uint64_t one = 1;

	if (server->process.pid != (uint32_t)getpid())
		return; /* a child that no fork() has told of it: the thread is its parent's */
	while (write(server->wake, &one, sizeof(one)) < 0 && errno == EINTR)
		;
	pthread_join(server->thread, NULL);
	note_subscriber(server); /* whoever still waits for one need not any more */
}

void server_fork_child(struct server *server)
{
	while (server->clients) {
		struct client *client = server->clients;
		server->clients = client->next;
		client_close(client);
	}
	if (server->endpoint.socket >= 0)
		close(server->endpoint.socket);
	/* Only one who has no other reference: this very thread may wait, in a handler's shadow. */
	if (atomic_load(&server->references) == 1)
		server_free(server);
}
