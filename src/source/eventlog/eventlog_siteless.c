/*
 * eventlog_siteless.c: probes that a provider defines but of which no object of the process has a
 * site, so that its stream does not declare them. The providers are vm and those whose definitions
 * the stream carries. Such probes get plans without an event type, so that scripts may name them.
 * If a library that is loaded later has the site, the stream declares the probe then, and the event
 * type takes over what is known of the plan (adopt() in eventlog_version.c).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "contract/contract.h"
#include "contract/generator.h"
#include "contract/known.h"
#include "source/eventlog/eventlog_private.h"

static bool is_plan_of(const struct plan *plan, const char *provider, const char *name)
{
	return plan->description && !strcmp(plan->provider, provider) &&
		!strcmp(plan->description->name, name);
}

/* Returns true if the log comes from objects with vmtap's probe part: it describes probes. One of
 * the kernel's probes does not, if they are another runtime's. */
static bool describes_probes(const struct eventlog *log)
{
	bool describes = false;

	for (size_t i = 1; i < log->plan_count; i++) {
		const struct plan *plan = &log->plans[i];

		if (!plan->description || plan->is_siteless)
			continue;
		if (log->is_sampled_by_kernel && strcmp(plan->provider, DESCRIBE_PROVIDER) != 0)
			return false;
		describes = true;
	}
	return describes;
}

/* Makes a plan for a probe. Returns 0, or a negative errno. */
static int add_plan(struct eventlog *log, const struct contract_provider *provider,
	const struct contract_probe *probe)
{
	struct plan *plan;
	struct description description;
	struct error error;
	char *text = NULL;
	size_t length;
	FILE *out;
	int described;

	if (log->plan_count == UINT16_MAX)
		return 0;
	out = open_memstream(&text, &length);
	if (!out)
		return -ENOMEM;
	generate_description(out, provider, probe);
	described = fclose(out) ? -ENOMEM : describe_parse(text, length, &description, &error);
	free(text);
	if (described != 1)
		return described < 0 ? described : -EINVAL;
	if (array_room(&log->plans, &log->plan_capacity, log->plan_count, sizeof(*log->plans)))
		return -ENOMEM;
	plan = &log->plans[log->plan_count];
	*plan = (struct plan){.type = UINT16_MAX, .is_siteless = true};
	eventlog_plan_probe(plan, &description);
	plan->description = malloc(sizeof(description));
	if (!plan->description)
		return -ENOMEM;
	*plan->description = description;
	plan->provider = plan->description->provider;
	log->plan_count++;
	return 0;
}

/* Makes plans for those probes of a provider that have none. */
static int add_provider(
	struct eventlog *log, const struct contract *contract, const char *provider_name)
{
	const struct contract_provider *provider = contract_find_provider(contract, provider_name);
	int result = 0;

	for (size_t i = 0; provider && i < provider->probe_count && !result; i++) {
		size_t j = 1;

		while (j < log->plan_count &&
			!is_plan_of(&log->plans[j], provider->name, provider->probes[i].name))
			j++;
		if (j == log->plan_count)
			result = add_plan(log, provider, &provider->probes[i]);
	}
	return result;
}

int eventlog_plan_siteless(struct eventlog *log)
{
	struct contract *contract;
	struct error error;
	int result = 0;

	if (!describes_probes(log))
		return 0;
	if (!known_contract_read(DESCRIBE_PROVIDER, &contract, &error)) {
		result = add_provider(log, contract, DESCRIBE_PROVIDER);
		contract_free(contract);
	}
	for (size_t i = 0; i < log->carried_count && result != -ENOMEM; i++) {
		const struct d_carried *carried = &log->carried[i];

		if (contract_parse(
			    carried->name, carried->text, carried->length, &contract, &error))
			continue;
		result = add_provider(log, contract, carried->name);
		contract_free(contract);
	}
	return result == -ENOMEM ? result : 0;
}

const struct plan *eventlog_siteless_plan(const struct eventlog *log, const struct plan *plan)
{
	for (size_t i = 1; i < log->plan_count; i++)
		if (log->plans[i].is_siteless &&
			is_plan_of(&log->plans[i], plan->provider, plan->description->name))
			return &log->plans[i];
	return NULL;
}
