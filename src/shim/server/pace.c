/*
 * pace.c: see pace.h. Decides by what the last drains found, and never waits itself. Before a
 * longer sleep it arms the rings (ring_arm()), unless a lossless client without room keeps the
 * rings from being drained: then no event may end the sleep.
 */
#include "shim/server/pace.h"

#include "shim/server/server_state.h"

enum {
	/* After this many successive drains that found nothing, the server sleeps longer, until
	 * the next record wakes it. */
	QUIET_DRAINS = 10,
	QUIET_SLOW_DRAINS = 1,  /* the same while few events come */
	QUIET_LONG_DRAINS = 10, /* after this many, the next events are not expected to be few */
	/* While fewer events come than one a millisecond, the server sleeps longer between drains,
	 * unless a ring fills up or a client has stated a shorter latency. */
	SLOW_MS = 22,
	SAMPLED_MS = 100, /* for a client of samples: it needs counts, not each sample at once */
	SLOW_DRAINS = 16
};

/* Returns true if no client that is subscribed can take a byte now. */
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

/* Returns the latency that clients want, in ms. *chosen is set if all of them have stated one. */
static int wanted_latency(const struct server *server, bool *chosen)
{
	int latency = -1;

	*chosen = true;
	for (const struct client *client = server->clients; client; client = client->next) {
		if (!client->subscribed || client->gone || client->is_log)
			continue;
		*chosen &= client->latency_ms > 0;
		server_shorten(&latency,
			client->latency_ms ? (int)client->latency_ms
				: client->sample_ns || client->sample_elapsed_ns ? SAMPLED_MS
										 : SLOW_MS);
	}
	return latency < 0 ? SLOW_MS : latency;
}

/* Returns true if events are so rare that they may be delivered late. latency: the requested one,
 * in ms. */
static bool is_slow(struct server *server, int latency)
{
	if (server->pace.slow) {
		server->pace.slow = server->drain.records <= 2 * (unsigned)latency;
		server->pace.drains = server->pace.records = 0;
		return server->pace.slow;
	}
	server->pace.records += server->drain.records;
	if (++server->pace.drains < SLOW_DRAINS)
		return false;
	server->pace.slow = server->pace.records < SLOW_DRAINS;
	server->pace.drains = server->pace.records = 0;
	return server->pace.slow;
}

int pace_timeout(struct server *server)
{
	bool chosen;

	if (!server->listening)
		return -1;
	if (all_stall(server)) {
		/* A client that reads again ends the sleep, and so does a ring that fills. But a
		 * full ring that cannot be drained must not. */
		if (server->drain.blocked || ring_arm(false))
			return -1;
		return SERVER_DRAIN_MS;
	}
	if (server->drain.blocked)
		return SERVER_IDLE_MS;
	if (server->drain.found_much)
		return 0;
	int latency = wanted_latency(server, &chosen);
	server->pace.quiet = server->drain.found_any ? 0 : server->pace.quiet + 1;
	if (chosen && latency >= SERVER_IDLE_MS)
		return ring_arm(false) ? latency : SERVER_DRAIN_MS;
	if (server->pace.quiet > (server->pace.slow ? QUIET_SLOW_DRAINS : QUIET_DRAINS)) {
		server->pace.drains = server->pace.records = 0;
		server->pace.slow &= server->pace.quiet <= QUIET_LONG_DRAINS;
		return ring_arm(true) ? SERVER_IDLE_MS : SERVER_DRAIN_MS;
	}
	bool slow = is_slow(server, latency) || chosen;
	return slow && latency > SERVER_DRAIN_MS && ring_arm(false) ? latency : SERVER_DRAIN_MS;
}
