/*
 * eventlog_carried.c: the definitions of providers that a stream carries (wire/wire.h), for
 * scripts (carried.h).
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "contract/contract.h"
#include "source/carried.h"
#include "source/eventlog/eventlog_private.h"
#include "wire/wire.h"

bool eventlog_take_carried(struct eventlog *log, const struct plan *plan, const char *extension,
	size_t length, uint64_t position)
{
	struct d_carried *carried = log->carried;
	char *text = NULL, *name = NULL;
	size_t i = 0, used;

	if (!length || length > WIRE_LIBRARY_MAX + (size_t)UINT16_MAX)
		return true;
	text = malloc(length + 1);
	if (!text)
		return eventlog_damaged(log, position, "out of memory");
	used = carried_lines(text, extension, length);
	while (i < log->carried_count && strcmp(carried[i].name, plan->provider) != 0)
		i++;
	if (!used || used > WIRE_LIBRARY_MAX || i == EVENTLOG_PROVIDERS_MAX || log->settled ||
		(i < log->carried_count && carried[i].length >= used)) {
		free(text);
		return true;
	}
	name = strdup(plan->provider);
	if (!name) {
		free(text);
		return eventlog_damaged(log, position, "out of memory");
	}
	if (i == log->carried_count)
		log->carried_count++;
	free((char *)carried[i].name);
	free((char *)carried[i].text);
	carried[i] = (struct d_carried){.name = name, .text = text, .length = used};
	return true;
}

const struct d_carried *eventlog_carried(const struct eventlog *log, size_t *count)
{
	*count = log->carried_count;
	return log->carried;
}

void eventlog_free_carried(struct eventlog *log)
{
	for (size_t i = 0; i < log->carried_count; i++) {
		free((char *)log->carried[i].name);
		free((char *)log->carried[i].text);
	}
}

/* Sets the stability of the probes of one provider. */
static void set_stability(const struct eventlog *log, const struct contract_provider *provider,
	struct d_probe_set *set)
{
	struct stability stability[STABILITY_PARTS];

	for (unsigned i = 0; i < STABILITY_PARTS; i++)
		stability[i] = provider->stability[i].value;
	for (size_t i = 1; i < log->plan_count; i++) {
		const struct plan *plan = &log->plans[i];

		if (plan->description && plan->probe != UINT32_MAX &&
			!strcmp(plan->provider, provider->name))
			d_probe_set_stability(&set->probes[plan->probe], stability);
	}
}

void eventlog_take_stability(const struct eventlog *log, struct d_probe_set *set)
{
	for (size_t i = 0; i < log->carried_count; i++) {
		const struct d_carried *carried = &log->carried[i];
		const struct contract_provider *provider;
		struct contract *contract;
		struct error ignored;

		if (contract_parse(
			    carried->name, carried->text, carried->length, &contract, &ignored))
			continue;
		provider = contract_find_provider(contract, carried->name);
		if (provider)
			set_stability(log, provider, set);
		contract_free(contract);
	}
}
