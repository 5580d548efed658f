/*
 * lossless.c: see lossless.h. A client's time runs only while a thread waits, and starts again with
 * each byte that it takes. The rings report whether threads wait (ring_has_waiters()).
 */
#include "shim/server/lossless.h"

#include <stdio.h>

#include "shim/server/server_state.h"
#include "shim/server/subscription.h"

enum { SIGN_MS = 1000 };

/* Returns true if the VM waits for this client now, if any of its threads does. */
static bool holds_up(const struct server *server, const struct client *client)
{
	return client->terms.lossless && !client->is_log && !client->gone &&
		client_pending(client) && (client->behind || server->drain.blocked);
}

bool lossless_any_behind(const struct server *server)
{
	for (const struct client *client = server->clients; client; client = client->next)
		if (client->behind && !client->gone)
			return true;
	return false;
}

/* Returns how long the VM waits for a client that takes no byte, in ns. */
static uint64_t patience(const struct server *server)
{
	return (server->ending ? server->flush_ms : server->lossless_ms) * UINT64_C(1000000);
}

uint64_t lossless_left(const struct server *server, struct client *client)
{
	uint64_t now = clock_monotonic(), waited;

	if (!client->waited_since || client->sent != client->waited_sent) {
		client->waited_since = now;
		client->waited_sent = client->sent;
	}
	waited = now - client->waited_since;
	return waited < patience(server) ? patience(server) - waited : 0;
}

void lossless_watch(struct server *server, int *timeout_ms)
{
	bool behind = lossless_any_behind(server), impatient = false, waits, hurried = false;

	if (!behind && ring_set_held(false))
		server->pace.quiet = 0; /* threads resume now, and do not wake the server */
	if (!behind && !server->drain.blocked && !server->watches)
		return;
	waits = ring_has_waiters(&impatient);
	server->watches = waits;
	if (waits) /* they must see that the server is alive, see ring_set_patience() */
		server_shorten(timeout_ms, SIGN_MS);
	for (struct client *client = server->clients; client; client = client->next) {
		if (!holds_up(server, client) || (!waits && !impatient)) {
			if (!server->ending) /* otherwise each client's time runs, whether or not a
						thread waits */
				client->waited_since = 0;
			continue;
		}
		uint64_t left = lossless_left(server, client);
		if (left && !impatient) {
			server_shorten(timeout_ms, (int)(left / 1000000 + 1));
			continue;
		}
		server_say(server, "client %d: no longer lossless", client->socket);
		client_hurry(client);
		hurried = true;
	}
	if (hurried) {
		server->drain.blocked = false;
		subscription_apply(server);
		server_shorten(timeout_ms, 0);
	}
}

void lossless_tell(const struct server *server, struct client *client)
{
	char text[160];

	if (!client->hurried || client->gone)
		return;
	snprintf(text, sizeof(text),
		WIRE_MESSAGE "delivery is no longer lossless: the program waited, and this client "
			     "took nothing for %u ms",
		(unsigned)(patience(server) / 1000000));
	client->hurried = !encode_message(&client->encoder, text, server_now(server));
}
