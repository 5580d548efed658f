/*
 * eventlog_ghc.c: logs written by GHC's run-time system (see eventlog_private.h). They
 * describe no probes. The probes of provider HaskellEvent are recognised by the numbers of
 * their event types, which their contract gives (probes/compat/haskell_event.d).
 *
 * Some of these probes have an argument that the event does not carry: the thread that runs
 * on the capability. That is the one that the capability's last RUN_THREAD names.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "contract/known.h"
#include "source/eventlog_private.h"
#include "wire/wire_type.h"

#define GHC_PROVIDER "HaskellEvent"

/* A type as D knows it without the contract's typedefs. */
static void put_type(struct describe_argument *argument, const struct contract_argument *known)
{
	if (known->kind == CONTRACT_INTEGER)
		snprintf(argument->type, sizeof(argument->type), "%sint%u_t",
			known->is_signed ? "" : "u", known->size * 8u);
	else
		snprintf(argument->type, sizeof(argument->type), "char *");
	snprintf(argument->name, sizeof(argument->name), "%s", known->name);
	argument->is_signed = known->is_signed;
	argument->size = known->size;
}

/* False: the event does not carry enough for the probe. */
static bool describe_ghc(const struct contract_probe *probe, struct description *description)
{
	const struct contract_eventlog *eventlog = &probe->eventlogs[0];
	unsigned int carried = 0;

	*description = (struct description){
		.argument_count = probe->argument_count, .text_argument = probe->argument_count};
	snprintf(description->name, sizeof(description->name), "%s", probe->name);
	for (unsigned int i = 0; i < probe->argument_count; i++) {
		struct describe_argument *argument = &description->arguments[i];
		bool is_carried =
			carried < eventlog->argument_count && eventlog->arguments[carried] == i;
		put_type(argument, &probe->arguments[i]);
		carried += is_carried;
		if (is_carried && probe->arguments[i].kind == CONTRACT_INTEGER) {
			argument->kind = DESCRIBE_NUMBER;
		} else if (is_carried && probe->arguments[i].string == CONTRACT_STRING_TEXT) {
			argument->kind = DESCRIBE_TEXT;
			argument->size = 0;
			description->text_argument = (uint8_t)i;
		} else if (!is_carried && !i && !strcmp(argument->name, "cap")) {
			argument->kind = DESCRIBE_CAP;
			argument->size = 0;
		} else if (!is_carried && !strcmp(argument->name, "thread")) {
			argument->kind = DESCRIBE_RUNNING;
			argument->size = 0;
		} else {
			return false;
		}
		description->payload += argument->size;
	}
	return true;
}

static int plan_ghc(struct plan *plan, const struct contract_probe *probe)
{
	struct description description;

	/* a type with a different declaration is not GHC's */
	if (plan->role != ROLE_SKIP || !describe_ghc(probe, &description) ||
		plan->payload < description.payload ||
		(description.text_argument < description.argument_count && !plan->is_variable))
		return 0;
	plan->description = malloc(sizeof(description));
	if (!plan->description)
		return -ENOMEM;
	*plan->description = description;
	plan->provider = GHC_PROVIDER;
	eventlog_plan_probe(plan, &description);
	return 0;
}

static bool describes_probes(const struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++)
		if (log->plans[i].description)
			return true;
	return false;
}

/* Makes plans for GHC's probes whose types are not described; false: damaged. */
static bool plan_contract(struct eventlog *log)
{
	struct contract *contract = NULL;
	const struct contract_provider *provider;
	struct error error = {""};
	int result = known_contract_read(GHC_PROVIDER, &contract, &error);

	if (result)
		return eventlog_damaged(log, log->scanned, "%s", error.text);
	provider = contract_find_provider(contract, GHC_PROVIDER);
	for (size_t i = 0; i < provider->probe_count && !result; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		uint16_t plan = probe->eventlog_count ? log->plan_of[probe->eventlogs[0].type] : 0;
		if (plan)
			result = plan_ghc(&log->plans[plan], probe);
	}
	contract_free(contract);
	if (!result)
		log->running = calloc(WIRE_NO_CAP + 1, sizeof(*log->running));
	if (result || !log->running)
		return eventlog_damaged(log, log->scanned, "out of memory");
	return true;
}

bool eventlog_plan_ghc(struct eventlog *log)
{
	if (describes_probes(log))
		return true;
	log->form_open = false;
	return plan_contract(log);
}

bool eventlog_decide_form(struct eventlog *log, uint16_t type)
{
	if (wire_type_has(type, WIRE_ON_CONNECT))
		return true;
	log->form_open = false;
	if (!wire_is_ghc(type))
		return true;
	log->ghc_alone = true;
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (!wire_is_ghc(plan->type) && plan->role != ROLE_SKIP) {
			free(plan->description);
			free(plan->compats);
			*plan = (struct plan){.role = ROLE_MISPLACED,
				.type = plan->type,
				.payload = plan->payload,
				.is_variable = plan->is_variable};
		}
		/* an event of GHC's belongs to GHC's probe, whatever the VM has opted in for */
		for (unsigned int j = 0; j < plan->compat_count; j++) {
			struct compat *compat = &plan->compats[j];
			if (strcmp(compat->description.provider, GHC_PROVIDER) != 0)
				continue;
			compat->description.is_absent = false;
			log->providers[compat->provider].is_there = true;
		}
	}
	return plan_contract(log);
}
