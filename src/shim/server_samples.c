/* server_samples.c: see server_samples.h. */
#include "shim/server_samples.h"

#include "shim/census.h"
#include "shim/sampler.h"
#include "shim/server_state.h"
#include "shim/subscription.h"

int server_samples_heap(struct server *server)
{
	uint64_t now = server_now(server), lost;
	struct vmtap_census *census;
	struct client *client;
	bool listeners = false;
	int next;

	for (client = server->clients; client; client = client->next)
		listeners |= !client->finishing &&
			(client->terms.wanted[CLIENT_SAMPLES] ||
				subscription_has_heap(server, client));
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

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Sets what the VM samples by. Clients are told when it was time, see client_take(). That period
 * begins before the change and ends after it, so a sample that may be by time counts as such. */
static void note_sampling(struct server *server, uint64_t period, uint64_t bytes)
{
	struct sampling_by_time *round = &server->by_time;

	if (period && !round->on)
		*round = (struct sampling_by_time){
			.on = true, .has_been = true, .since = stamp_raw()};
	sampler_set(period, bytes);
	if (!period && round->on) {
		round->on = false;
		round->until = stamp_raw();
	}
	for (struct client *client = server->clients; client; client = client->next)
		client->by_time = *round;
}

void server_samples_ask(struct server *server)
{
	uint64_t period = 0, bytes = 0;
	bool dumps = false;

	for (struct client *client = server->clients; client; client = client->next) {
		if (client->gone || !client->subscribed || client->finishing || server->ending)
			continue;
		period = smaller(period, client->sample_ns);
		bytes = smaller(bytes, client->sample_bytes);
		dumps |= client->asks_dump;
		client->asks_dump = false;
	}
	if (dumps)
		sampler_dump();
	if (period)
		bytes = 0;
	note_sampling(server, period, bytes);
	if ((bytes != 0) != server->counts_bytes) {
		server->counts_bytes = bytes != 0;
		subscription_apply(server);
	}
}
