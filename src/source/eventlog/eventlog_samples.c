/*
 * eventlog_samples.c: the profile-n probes of a log, which its event vm:::sample fires. A probe
 * that is slower than the fastest one of the script fires for the first sample of each of its
 * periods.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "program/timer_probe.h"
#include "source/eventlog/eventlog_private.h"

enum { SAMPLE_THREAD = 1, SAMPLE_WEIGHT = 2, SAMPLE_ARGUMENTS = 3 };

static bool is_sample(const struct plan *plan)
{
	const struct description *description = plan->description;

	return description && !strcmp(description->provider, DESCRIBE_PROVIDER) &&
		!strcmp(description->name, "sample") &&
		description->argument_count >= SAMPLE_ARGUMENTS;
}

/* Adds one probe, which all versions of the event fire. */
static int add_probe(struct eventlog *log, struct d_probe_set *set, const char *name)
{
	char empty[] = "", provider[] = "profile", copy[TIMER_NAME_MAX];
	struct d_probe probe = {.provider = provider,
		.module = empty,
		.function = empty,
		.name = copy,
		.kind = D_PROBE_SOURCE,
		.period = timer_period(name, TIMER_PROFILE)};
	struct compat compat = {.is_sample = true, .period = probe.period};
	long index;

	for (size_t i = 1; i < log->plan_count; i++)
		for (unsigned j = 0; j < log->plans[i].compat_count; j++)
			if (log->plans[i].compats[j].is_sample &&
				!strcmp(log->plans[i].compats[j].description.name, name))
				return 0;
	snprintf(copy, sizeof(copy), "%s", name);
	index = d_probe_set_add(set, &probe);
	if (index < 0)
		return (int)index;
	compat.probe = (uint32_t)index;
	snprintf(compat.description.provider, sizeof(compat.description.provider), "%s", provider);
	snprintf(compat.description.name, sizeof(compat.description.name), "%s", copy);
	compat.description.argument_count = SAMPLE_ARGUMENTS;
	for (uint8_t i = 0; i < SAMPLE_ARGUMENTS; i++)
		compat.description.arguments[i].index = i;
	compat.description.condition = UINT8_MAX;
	for (size_t i = 1; i < log->plan_count; i++)
		if (is_sample(&log->plans[i]) &&
			!eventlog_add_compat(log, &log->plans[i], &compat, 0))
			return -ENOMEM;
	return 0;
}

int eventlog_add_samples(struct eventlog *log, struct d_probe_set *set, const struct d_asked *asked,
	size_t asked_count)
{
	bool has_event = false;
	int result = 0;

	for (size_t i = 1; i < log->plan_count; i++)
		has_event |= is_sample(&log->plans[i]);
	for (size_t i = 0; i < asked_count && has_event && !result; i++) {
		const char *name = asked[i].name;

		if (!timer_is_profile(&asked[i]))
			continue;
		if (*name && !pattern_is_glob(name)) {
			result = add_probe(log, set, name);
			continue;
		}
		for (const char *const *preset = timer_profiles; *preset && !result; preset++)
			if (pattern_match(name, *preset))
				result = add_probe(log, set, *preset);
	}
	return result;
}

uint64_t eventlog_sample_period(const struct eventlog *log)
{
	uint64_t period = 0;

	for (size_t i = 1; i < log->plan_count; i++)
		for (unsigned j = 0; j < log->plans[i].compat_count; j++) {
			const struct compat *compat = &log->plans[i].compats[j];

			if (compat->is_sample && compat->is_wanted &&
				(!period || compat->period < period))
				period = compat->period;
		}
	return period;
}

bool eventlog_fires_sample(const struct eventlog *log, const struct compat *compat, uint64_t time,
	const uint64_t *given, uint64_t *arguments)
{
	uint64_t weight = given[SAMPLE_WEIGHT];

	if (compat->period > log->sample_period) {
		if (weight < compat->period &&
			time / compat->period == (time - weight) / compat->period)
			return false;
		weight = weight > compat->period ? weight : compat->period;
	}
	arguments[0] = 0;
	arguments[SAMPLE_THREAD] = given[SAMPLE_THREAD];
	if (log->is_sampled_by_kernel) { /* the addresses that were interrupted, as live */
		arguments[0] = log->kernel.count ? log->kernel.frames[0] : 0;
		arguments[1] = log->kernel.count || !log->user.count ? 0 : log->user.frames[0];
	}
	arguments[SAMPLE_WEIGHT] = weight;
	return true;
}
