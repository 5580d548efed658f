/*
 * subscription.c: see subscription.h. Before terms change, the rings are drained under the old
 * ones; after that, subscription_apply() computes the guards from all clients' terms anew.
 */
#include "shim/server/subscription.h"

#include <string.h>
#include <time.h>

#include "base/test_point.h"
#include "shim/core/name.h"
#include "shim/core/registry.h"
#include "shim/core/ring_memory.h"
#include "shim/server/server_state.h"
#include "shim/stream/awaited.h"
#include "shim/stream/missed.h"

enum {
	/* The time that a client has to show that it is not a plain reader for GHC. Much longer
	 * while the VM waits for its first client, because nothing is lost meanwhile. */
	GRACE_MS = 200,
	GRACE_AWAITED_MS = 5000
};

/* Returns what the client wishes for the events of a type beyond receiving them. */
static uint8_t client_wishes(const struct client *client, uint16_t strings)
{
	return (uint8_t)((client->terms.lossless ? RING_LOSSLESS : 0) |
		(client->terms.cpu_clock && strings & ENCODE_CPU_CLOCK ? RING_CLOCKED : 0) |
		(client->terms.stacks && client->encoder.stacks && strings & ENCODE_STACK
				? RING_STACKS
				: 0));
}

static bool is_named(const struct event_type *type, const char *name)
{
	return strlen(name) == type->key_length &&
		memcmp(type->is.description, name, type->key_length) == 0;
}

/* Returns true if the VM counts bytes where it fires this event. */
static bool is_allocation(const struct event_type *type)
{
	return is_named(type, "vm:::object-create") || is_named(type, "vm:::array-create") ||
		is_named(type, "vm:::hash-create") || is_named(type, "vm:::string-create");
}

bool subscription_has_heap(const struct server *server, const struct client *client)
{
	if (!client->subscribed || client->gone)
		return false;
	for (uint32_t i = 0; i < server->known_types; i++)
		if (client->terms.wanted[i] && is_named(event_get(i), "vm:::heap-sample"))
			return true;
	return false;
}

/* coming: NULL, or terms of lossless delivery that are soon in force. They open no guard, but the
 * events that are requested by others too are not dropped any more. */
static void apply(struct server *server, struct client_terms *coming)
{
	uint8_t wishes[EVENTS_MAX] = {0}, for_new = 0;
	bool listening = !server->ending && missed_any();

	server->known_types = event_count();
	for (uint32_t i = 0; i < server->known_types && listening; i++)
		wishes[i] |= missed_wants(i) ? RING_OPEN : 0;
	if (listening && missed_awaits_types())
		for_new |= RING_OPEN;
	for (struct client *client = server->clients; client; client = client->next) {
		client_terms_take_types(&client->terms);
		if (!client->subscribed || client->gone)
			continue;
		listening = true;
		if (!server->ending && client_terms_await_types(&client->terms))
			for_new |=
				client_wishes(client, ENCODE_CPU_CLOCK | ENCODE_STACK) | RING_OPEN;
		for (uint32_t i = 0; i < server->known_types; i++)
			if (client->terms.wanted[i])
				wishes[i] |= client_wishes(client, client->terms.strings[i]) |
					(server->ending ? 0 : RING_OPEN);
	}
	if (coming)
		client_terms_take_types(coming);
	for (uint32_t i = 0; coming && i < server->known_types; i++)
		if (wishes[i] & RING_OPEN && coming->wanted[i])
			wishes[i] |= RING_LOSSLESS;
	if (coming && for_new && client_terms_await_types(coming))
		for_new |= RING_LOSSLESS;
	for (uint32_t i = 0; i < server->known_types && server->counts_bytes; i++)
		if (is_allocation(event_get(i)))
			wishes[i] |= wishes[i] & RING_OPEN ? 0 : RING_OPEN | RING_UNHEARD;
	if (listening && !server->listening) {
		drain_skip(&server->drain);
		name_prepare(); /* before the rings take what is left */
	}
	if (listening)
		ring_set_listening(true);
	TEST_POINT("rings-listening");
	server->unapplied = !drain_lock_registry(&server->drain);
	if (server->unapplied)
		return;
	registry_open(wishes, server->known_types, for_new);
	registry_unlock();
	TEST_POINT("guards-set");
	if (!listening && server->listening) {
		ring_set_listening(false);
		drain_collect(&server->drain);
		ring_forget();
		server->drain.blocked = server->pace.slow = false;
	}
	server->listening = listening;
	awaited_note_followers(server->clients);
	missed_note_followers(server->clients);
}

void subscription_apply(struct server *server)
{
	apply(server, NULL);
}

void subscription_take_types(struct server *server)
{
	if (server->known_types != event_count() || server->unapplied)
		subscription_apply(server);
}

void subscription_answer(struct server *server, struct client *client)
{
	struct encoder *encoder = &client->encoder;

	if (!client->acknowledge)
		return;
	encode_block_end(encoder);
	if (!client->clock_told)
		client->clock_told = encode_clock(encoder, &server->drain.clock);
	client->acknowledge = !client->clock_told ||
		!encode_subscribed(encoder, client->tag, client->tag_flags, server_now(server));
}

/*
 * What is dropped until now counts for the clients by their terms until now. Where a lossless
 * client comes, nothing that it requests may be dropped from then on, so producers wait already
 * when its epoch begins. Guards that it opens itself are opened only after that: all drops are its
 * own then.
 */
static void change_terms(struct server *server, struct client *client)
{
	uint64_t epoch;

	if (client->asked.lossless && server->listening)
		apply(server, &client->asked);
	epoch = ring_begin_epoch();
	TEST_POINT("epoch-begun");
	drain_drops(&server->drain, server->clients);
	client_take_terms(client, epoch);
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
	change_terms(server, client);
	server_say(server, "client %d: subscription %u, flags %#x", client->socket,
		(unsigned)client->tag, client->tag_flags);
	for (unsigned i = 0; i < CLIENT_KINDS; i++)
		wants |= client->terms.wanted[i];
	wants |= client->terms.entry_bytes > 0; /* for probes that may be added later */
	bool starts = !client->subscribed;
	if (starts)
		client->since = stamp_raw();
	client->subscribed = wants && !client->finish_asked;
	/* one that requests nothing misses nothing */
	if (client->subscribed || (!client->finish_asked && !client->terms.ghc_only))
		missed_tell(client, server_now(server));
	subscription_apply(server);
	if (starts && client->terms.cpu_clock) /* only now do all threads know of it */
		client->since = stamp_raw();
	/* An end marker needs no acknowledgement, and nothing may follow it. */
	client->finishing = client->finish_asked;
	client->acknowledge = !client->finishing && !client->terms.ghc_only;
	subscription_answer(server, client);
	/* A script with only BEGIN and ticks requests no events, but the VM should run for it
	 * as well. */
	if (client->subscribed || (!client->finish_asked && !client->terms.ghc_only))
		awaited_subscribed(client);
}

/* Events recorded before a change are delivered under the previous terms. */
static void take_changes(struct server *server, struct client *client)
{
	while (client->changed && !client->gone) {
		if (server->listening)
			drain_rings(&server->drain, server->clients);
		if (server->listening && server->drain.blocked)
			break;
		missed_report(server->clients, server_now(server));
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

void subscription_read(struct server *server, struct client *client)
{
	uint64_t before = own_cpu_time();

	client_read(client);
	take_changes(server, client);
	client->credit -= (int64_t)(own_cpu_time() - before);
}

int subscription_grace(const struct client *client)
{
	uint64_t grace = awaited_any() ? GRACE_AWAITED_MS : GRACE_MS, passed;

	if (!client->fresh || client->gone || client->control.length)
		return -1;
	passed = (clock_monotonic() - client->connected) / 1000000;
	return client->input_ended || passed >= grace ? 0 : (int)(grace - passed);
}

static void greet_plain_readers(struct server *server)
{
	for (struct client *client = server->clients; client; client = client->next)
		if (subscription_grace(client) == 0)
			client_take_default(client);
}

void subscription_take_all(struct server *server)
{
	greet_plain_readers(server);
	for (struct client *client = server->clients; client; client = client->next)
		take_changes(server, client);
}
