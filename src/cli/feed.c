/* feed.c: see feed.h. */
#include "cli/feed.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "program/need.h"
#include "source/request.h"
#include "wire/loss.h"

enum { PROGRESS_MS = 1000 };

static bool is_vm(const char *provider)
{
	return !strncmp(provider, "vm", 2) && !provider[2 + strspn(provider + 2, "0123456789")];
}

/* Enables the probes of provider vm that are listed. */
static int follow(struct feed *feed, const struct feed_probe *probes, size_t count,
	const struct feed_wish *wish, struct error *error)
{
	const struct d_demand with_stack = {
		.needs = d_need_bit(D_NEED_GUEST_STACK), .arguments = UINT64_MAX};
	uint32_t *chosen = calloc(feed->set.count + 1, sizeof(*chosen));
	struct source_request request = {0};
	int result;

	feed->roles = calloc(feed->set.count + 1, sizeof(*feed->roles));
	if (!chosen || !feed->roles) {
		free(chosen);
		return error_set(error, ENOMEM, "out of memory");
	}
	for (size_t i = 0; i < feed->set.count; i++) {
		const struct d_probe *probe = &feed->set.probes[i];

		feed->roles[i] = -1;
		if (probe->kind != D_PROBE_SOURCE || probe->is_absent || !is_vm(probe->provider))
			continue;
		for (size_t j = 0; j < count && feed->roles[i] < 0; j++)
			if (!strcmp(probes[j].name, probe->name))
				feed->roles[i] = probes[j].role;
		if (feed->roles[i] >= 0)
			chosen[feed->followed++] = (uint32_t)i;
	}
	if (source_request_of_probes(&request, chosen, feed->followed)) {
		result = error_set(error, ENOMEM, "out of memory");
	} else {
		for (size_t i = 0; wish && wish->stacks && i < request.want_count; i++)
			request.wants[i].demand = &with_stack;
		if (wish)
			request.sample = (struct d_sampling){
				.period = wish->sample_period, .is_elapsed = wish->is_elapsed};
		result = source_enable(feed->source, &request, error);
		if (!result)
			targets_enabled(&feed->targets);
	}
	source_request_free(&request);
	free(chosen);
	return result;
}

/* Opens what the specification says, if it is what the verb takes, and follows it. */
static int open_targets(struct feed *feed, const struct feed_probe *probes, size_t count,
	const struct feed_wish *wish, const char *verb, struct error *error)
{
	static const struct target_reports reports = {.message = cli_message};
	const struct error *missing;
	int result = target_spec_check(&feed->spec, verb, error);

	if (result)
		return result;
	if (targets_init(&feed->targets, &feed->spec, &reports) || d_probe_set_init(&feed->set))
		return error_set(error, ENOMEM, "out of memory");
	feed->targets.is_single = true;
	result = targets_open(&feed->targets, &feed->set, error);
	missing = targets_missing(&feed->targets);
	if (!result && missing)
		result = error_set(error, ENOENT, "%s", missing->text);
	if (result)
		return result;
	feed->source = feed->targets.source;
	if (feed->spec.log)
		result = source_log_add_calls(
			feed->source, &feed->set, &feed->has_other_calls, error);
	if (result)
		return result;
	return follow(feed, probes, count, wish, error);
}

int feed_open_log(struct feed *feed, const char *verb, const char *file,
	const struct feed_probe *probes, size_t count, const struct feed_wish *wish,
	struct error *error)
{
	*feed = (struct feed){.what = file, .spec.log = file};
	return open_targets(feed, probes, count, wish, verb, error);
}

int feed_open_process(struct feed *feed, const char *verb, uint32_t pid,
	const struct feed_probe *probes, size_t count, const struct feed_wish *wish,
	struct error *error)
{
	*feed = (struct feed){.what = "the stream", .spec.via = TARGET_VIA_STREAM};
	if (target_spec_add_pid(&feed->spec, pid))
		return error_set(error, ENOMEM, "out of memory");
	return open_targets(feed, probes, count, wish, verb, error);
}

void feed_count_losses(struct feed *feed, const struct event_batch *batch)
{
	for (size_t i = 0; i < batch->loss_count; i++) {
		feed->lost += batch->losses[i].count;
		feed->loss_reasons |= batch->losses[i].reasons;
	}
}

void feed_tell_lost(const struct feed *feed, const char *effect)
{
	if (feed->lost && !loss_can_wait(feed->loss_reasons))
		cli_message("%s: %" PRIu64 " event%s lost, %s: %s", feed->what, feed->lost,
			feed->lost == 1 ? " was" : "s were", effect,
			loss_reason_text(feed->loss_reasons));
	else if (feed->lost)
		cli_message("%s: %" PRIu64
			    " event%s lost, %s; 'vmtap record --lossless' loses none",
			feed->what, feed->lost, feed->lost == 1 ? " was" : "s were", effect);
}

void feed_close(struct feed *feed)
{
	if (feed->targets.spec)
		targets_close(&feed->targets);
	target_spec_free(&feed->spec);
	free(feed->roles);
	d_probe_set_free(&feed->set);
	*feed = (struct feed){.source = NULL};
}

const char *feed_text(const struct event_batch *batch, const struct event *event,
	unsigned int argument, uint32_t *length)
{
	uint32_t offset;
	const struct text *text = event_text(batch, feed_number(event, argument), &offset);

	*length = text ? text->length - offset : 0;
	return text ? text->bytes + offset : "";
}

void feed_progress_init(struct feed_progress *progress)
{
	*progress = (struct feed_progress){
		.shown = clock_monotonic(), .is_terminal = cli_is_screen(STDERR_FILENO)};
}

void feed_progress_show(struct feed_progress *progress, uint64_t events, const char *what)
{
	uint64_t now;

	if (!progress->is_terminal)
		return;
	now = clock_monotonic();
	if (now - progress->shown < PROGRESS_MS * CLOCK_NS_PER_MS)
		return;
	progress->shown = now;
	fprintf(stderr, "\r\033[Kvmtap: %s: %.1f million events", what, (double)events / 1e6);
	fflush(stderr);
	progress->is_terminal = 2; /* there is a line to erase */
}

void feed_progress_end(struct feed_progress *progress)
{
	if (progress->is_terminal == 2)
		fputs("\r\033[K", stderr);
}
