/*
 * admission.c: see admission.h. Each change of the list of clients is one store, after the client
 * is complete, because fork() may copy the state of any moment. A client that has left is marked as
 * gone, and only admission_drop_gone() removes it, which must not be called in a loop over the
 * list.
 */
#include "shim/server/admission.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/test_point.h"
#include "shim/core/budget.h"
#include "shim/core/ledger.h"
#include "shim/core/registry.h"
#include "shim/server/log_watch.h"
#include "shim/server/server_state.h"
#include "shim/server/subscription.h"
#include "wire/place.h"

enum {
	IDLEST_MS = 1000, /* a connection that was idle for less is not ended to admit another */
	FULL_MS = 1100, /* then a client that waits for a place is refused: all were active since */
	ACCEPTS_AT_ONCE = 8,
	/* After an error of accept4(): the first pause; each further error doubles it. */
	ACCEPT_AGAIN_MS = 100,
	ACCEPT_AGAIN_MS_MAX = 10000
};

/* The client's contents, and what follows it in the list, are complete before the link is set,
 * because fork() may copy the state of any moment. */
static void admission_set_link(struct client **link, struct client *client)
{
	__atomic_store_n(link, client, __ATOMIC_RELEASE);
}

/* Tells the client why it is refused, as far as there is memory for that, and closes the
 * descriptor. */
static void refuse_client(struct server *server, int descriptor, const char *text)
{
	struct process process = server->process;
	struct client *client;

	server_say(server, "client %d is refused: %s", descriptor, text + strlen(WIRE_MESSAGE));
	if (client_open(descriptor, QUEUE_BYTES_FIRST, BUDGET_REFUSAL, &client)) {
		ledger_close(descriptor, descriptor_file(descriptor));
		return;
	}
	process.environment = NULL; /* so that the header is short */
	process.arguments_length = process.environment_length = 0;
	process.caps = 0;
	if (!encode_start(&client->encoder, &server->drain.clock, &process) &&
		encode_message(&client->encoder, text, server_now(server)))
		client_finish(client, server_now(server));
	client_send(client);
	client_close(client);
}

static void refuse_without_memory(struct server *server, int descriptor, bool by_budget)
{
	char text[BUDGET_TEXT_BYTES] = WIRE_MESSAGE "there is no memory for another client";

	if (by_budget)
		budget_describe(text);
	refuse_client(server, descriptor, text);
}

/* Takes over the descriptor and queues the description of the process. */
static int open_client(struct server *server, int descriptor, struct client **result)
{
	struct client *client;
	uint32_t refusals = budget_refusals();
	int error = client_open(descriptor, server->queue_bytes, BUDGET_CLIENT, &client);
	uint64_t since;

	if (error) {
		refuse_without_memory(server, descriptor, budget_refusals() != refusals);
		return error;
	}
	if (!server->clients && stamp_choose())
		stamp_restart(&server->drain.clock);
	registry_lock();
	client->providers = server->process.providers = registry_providers(&since);
	client->omissions = registry_has_omissions() ? 0 : registry_omissions();
	registry_unlock();
	error = encode_start(&client->encoder, &server->drain.clock, &server->process);
	if (error) {
		client->socket = -1;
		client_close(client);
		refuse_without_memory(server, descriptor, budget_refusals() != refusals);
		return error;
	}
	client->refusals = budget_refusals() - budget_is_short();
	client->wall_told = server->drain.clock.zero_real;
	log_watch_greet(server, client);
	client->next = server->clients;
	admission_set_link(&server->clients, client);
	server->client_count++;
	server_say(server, "client %d connected, %u in all", descriptor, server->client_count);
	*result = client;
	return 0;
}

void admission_drop_gone(struct server *server)
{
	bool any = false;

	for (const struct client *client = server->clients; client; client = client->next)
		any |= client->gone;
	if (!any)
		return;
	subscription_apply(server);
	for (struct client **link = &server->clients; *link;) {
		struct client *client = *link;
		if (!client->gone) {
			link = &client->next;
			continue;
		}
		admission_set_link(link, client->next);
		server->client_count--;
		server_say(
			server, "client %d left, %u remain", client->socket, server->client_count);
		watch_remove(&server->watch, client->socket);
		client_close(client);
	}
}

/* Counts bytes that a client has read since the last call as read now, though that may be long
 * ago. */
static void check_active(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		if (!client->is_log)
			client_check_active(client);
}

/* Returns true if a client has less claim to its place than another. One that has never sent a
 * whole request has the least. */
static bool is_idler(const struct client *one, const struct client *other)
{
	if (one->has_asked != other->has_asked)
		return !one->has_asked;
	return one->active < other->active;
}

/* Ends the connection that was idle for longest, and tells it why. Returns false if none was idle
 * for long. */
static bool end_idlest(struct server *server)
{
	uint64_t now = clock_monotonic();
	struct client *idlest = NULL;
	char text[160];

	check_active(server);
	for (struct client *client = server->clients; client; client = client->next)
		if (!client->is_log && !client->gone && now > client->active &&
			now - client->active >= IDLEST_MS * UINT64_C(1000000) &&
			(!idlest || is_idler(client, idlest)))
			idlest = client;
	if (!idlest)
		return false;
	snprintf(text, sizeof(text),
		WIRE_MESSAGE
		"the connection is ended: of %d, the most there may be, it %s, and another client "
		"has come",
		SERVER_CLIENTS_MAX,
		idlest->has_asked ? "was idle for longest" : "has sent no whole request");
	server_say(server, "client %d is ended, %s", idlest->socket,
		idlest->has_asked ? "idle for longest" : "without a whole request");
	idlest->subscribed = false;
	if (encode_message(&idlest->encoder, text, server_now(server)))
		client_finish(idlest, server_now(server));
	client_send(idlest);
	idlest->gone = true;
	admission_drop_gone(server);
	return true;
}

/* Lets a client wait for a place until each of the others has had the time to be idle, and then
 * refuses it. */
static void admit_none(struct server *server)
{
	uint64_t now = clock_monotonic();
	bool refused = false;
	char text[80];
	int socket = 0;

	if (!server->awaits_place)
		server->full_since = now;
	server->awaits_place = true;
	server->accept_pause_ms = ACCEPT_AGAIN_MS;
	server->accept_after = now + ACCEPT_AGAIN_MS * UINT64_C(1000000);
	if (now - server->full_since < FULL_MS * UINT64_C(1000000))
		return;
	snprintf(text, sizeof(text), WIRE_MESSAGE "%d clients are connected, the most there may be",
		SERVER_CLIENTS_MAX);
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE && (socket >= 0 || refused); i++) {
		refused = false;
		socket = server_socket_accept(&server->endpoint, &refused);
		if (socket >= 0)
			refuse_client(server, socket, text);
	}
	if (socket < 0 && !refused) /* none waits any more */
		server->awaits_place = false;
}

void admission_accept(struct server *server)
{
	struct client *client;
	bool refused = false;
	int socket = 0;

	if (server->client_count == SERVER_CLIENTS_MAX && !end_idlest(server)) {
		admit_none(server);
		return;
	}
	server->awaits_place = false;
	if (!server->listening) /* the memory may be needed for the client */
		drain_collect(&server->drain);
	for (unsigned i = 0; i < ACCEPTS_AT_ONCE && server->client_count < SERVER_CLIENTS_MAX;
		i++) {
		socket = server_socket_accept(&server->endpoint, &refused);
		if (socket >= 0)
			open_client(server, socket, &client);
		else if (!refused && socket != -EINTR && socket != -ECONNABORTED)
			break;
		TEST_POINT("client-accepted");
	}
	/* done now, so that bytes read before this do not count as read when another client
	 * connects */
	if (server->client_count == SERVER_CLIENTS_MAX)
		check_active(server);
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

int admission_open_log(struct server *server, const char *path)
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
	client_take_terms(client, 0);
	client->clock_told = encode_clock(&client->encoder, &server->drain.clock);
	client->since = stamp_raw();
	return 0;
}

void admission_check(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		client->gone |= !descriptor_is(client->socket, client->file);
}
