/*
 * server_samples.c: see server_samples.h. The VM samples by one unit at a time, CPU time before
 * elapsed time before bytes, at the shortest period that a client asks for.
 */
#include "shim/server/server_samples.h"

#include "shim/core/extra.h"
#include "shim/server/server_state.h"
#include "shim/server/subscription.h"

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

/* Sets what the VM samples by. The stream says from when on, see client_take(). */
static void set_wish(struct server *server, const struct sampler_wish *wish)
{
	enum sampling_unit unit = wish->period ? wish->is_elapsed ? SAMPLING_ELAPSED : SAMPLING_CPU
		: wish->bytes                  ? SAMPLING_BYTES
					       : SAMPLING_NOTHING;
	struct sampling *sampling = &server->sampling;
	bool changes = unit != sampling->now;
	uint64_t since = changes ? stamp_raw() : 0;

	extra_sampler_set(wish, server->has_thread);
	if (changes)
		*sampling = (struct sampling){
			.now = unit, .before = sampling->now, .since = since, .until = stamp_raw()};
	for (struct client *client = server->clients; client; client = client->next)
		client->sampling = *sampling;
}

void server_samples_ask(struct server *server)
{
	uint64_t elapsed = 0;
	struct sampler_wish wish = {0};
	bool dumps = false;

	for (struct client *client = server->clients; client; client = client->next) {
		if (client->gone || !client->subscribed || client->finishing || server->ending)
			continue;
		wish.period = smaller(wish.period, client->sample_ns);
		elapsed = smaller(elapsed, client->sample_elapsed_ns);
		wish.bytes = smaller(wish.bytes, client->sample_bytes);
		dumps |= client->asks_dump;
		client->asks_dump = false;
	}
	if (dumps)
		extra_sampler_dump();
	wish.is_elapsed = !wish.period && elapsed;
	if (wish.is_elapsed)
		wish.period = elapsed;
	if (wish.period)
		wish.bytes = 0;
	set_wish(server, &wish);
	if ((wish.bytes != 0) != server->counts_bytes) {
		server->counts_bytes = wish.bytes != 0;
		subscription_apply(server);
	}
}

/* In a VM that takes no samples nothing becomes due, but its stream says the same as that of a VM
 * whose threads have not asked for one yet. */
static enum sampler_way way_of_samples(const struct server *server)
{
	if (vmtap_extra_sampler)
		return vmtap_extra_sampler->way();
	return server->sampling.now == SAMPLING_ELAPSED ? SAMPLER_ELAPSED
		: server->sampling.now == SAMPLING_CPU  ? SAMPLER_TIMERS
							: SAMPLER_NONE;
}

bool server_samples_tell(struct server *server, struct client *client)
{
	static const uint8_t units[] = {[SAMPLER_TIMERS] = WIRE_SAMPLING_TIME,
		[SAMPLER_CPU_TICKS] = WIRE_SAMPLING_TIME,
		[SAMPLER_ELAPSED] = WIRE_SAMPLING_ELAPSED};
	enum sampler_way way = way_of_samples(server);

	if (!(client->sample_ns || client->sample_elapsed_ns || client->is_log) ||
		!client->subscribed || client->end_queued || way == SAMPLER_NONE ||
		way == client->sampled_told || client->terms.ghc_only)
		return true;
	if (!encode_sampled(
		    &client->encoder, units[way], way == SAMPLER_TIMERS, server_now(server)))
		return false;
	client->sampled_told = way;
	return true;
}
