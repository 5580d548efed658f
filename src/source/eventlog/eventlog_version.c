/*
 * eventlog_version.c: versions of a probe (see eventlog_private.h). Objects of one process
 * may have been made from older and newer contracts, which differ in the number of a probe's
 * arguments. Each version is a separate event type. All of them fire the one probe of that
 * name, which has the arguments of the longest version. Arguments that an event lacks read
 * as 0 or the empty string.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "source/eventlog/eventlog_private.h"
#include "wire/records.h"
#include "wire/wire.h"

enum { DECLARE_BYTES = 4 /* bytes of a WIRE_DECLARE before the description */ };

static bool same_probe(const struct plan *one, const struct plan *other)
{
	return one->description && other->description && !strcmp(one->provider, other->provider) &&
		!strcmp(one->description->name, other->description->name) &&
		!strcmp(one->description->module, other->description->module) &&
		!strcmp(one->description->function, other->description->function);
}

/* Returns true if the common arguments are the same. */
static bool agree(const struct description *one, const struct description *other)
{
	for (unsigned int i = 0; i < one->argument_count && i < other->argument_count; i++) {
		const struct describe_argument *a = &one->arguments[i], *b = &other->arguments[i];
		if (a->kind != b->kind || a->size != b->size || a->is_signed != b->is_signed ||
			strcmp(a->type, b->type) != 0)
			return false;
	}
	return true;
}

/* Returns true if the common arguments have the same types for scripts. */
static bool have_same_types(const struct description *one, const struct description *other)
{
	for (unsigned int i = 0; i < one->argument_count && i < other->argument_count; i++)
		if (strcmp(one->arguments[i].type, other->arguments[i].type) != 0)
			return false;
	return true;
}

static bool is_string(const struct describe_argument *argument)
{
	return argument->kind == DESCRIBE_NAME || argument->kind == DESCRIBE_TEXT;
}

const struct plan *eventlog_longest_version(const struct eventlog *log, const struct plan *plan)
{
	const struct plan *longest = plan;

	for (size_t i = 1; i < log->plan_count; i++)
		if (same_probe(&log->plans[i], plan) &&
			log->plans[i].description->argument_count >
				longest->description->argument_count)
			longest = &log->plans[i];
	return longest;
}

const struct plan *eventlog_first_version(const struct eventlog *log, const struct plan *plan)
{
	size_t i = 1;

	while (!same_probe(&log->plans[i], plan))
		i++;
	return &log->plans[i];
}

void eventlog_take_version(struct plan *plan, const struct plan *longest)
{
	const struct description *description = longest->description;

	plan->probe_arguments = plan->argument_count;
	plan->missing_strings = 0;
	for (unsigned int i = plan->argument_count; i < description->argument_count; i++) {
		plan->probe_arguments++;
		if (is_string(&description->arguments[i]))
			plan->missing_strings |= (uint16_t)(1u << i);
	}
}

const struct compat *eventlog_same_compat(const struct plan *plan, const struct compat *compat)
{
	for (unsigned int i = 0; i < plan->compat_count; i++) {
		const struct compat_description *known = &plan->compats[i].description;
		if (!strcmp(known->provider, compat->description.provider) &&
			!strcmp(known->name, compat->description.name))
			return &plan->compats[i];
	}
	return NULL;
}

bool eventlog_check_versions(struct eventlog *log, const struct plan *plan, uint64_t position)
{
	for (size_t i = 1; i < log->plan_count; i++)
		if (!log->plans[i].is_siteless && same_probe(&log->plans[i], plan) &&
			!agree(log->plans[i].description, plan->description))
			return eventlog_damaged(log, position,
				"event types %u and %u describe probe %s with different arguments",
				log->plans[i].type, plan->type, plan->description->name);
	return true;
}

/* Handles a version that came after the probes were added: its events are treated like those of
 * the others. */
static void adopt(struct eventlog *log, struct plan *plan)
{
	const struct plan *known = eventlog_first_version(log, plan);

	plan->role = ROLE_PROBE;
	if (known == plan)
		known = eventlog_siteless_plan(log, plan);
	/* otherwise no script can have named the probe */
	if (!known || !have_same_types(known->description, plan->description)) {
		eventlog_enable_stacks(log);
		return;
	}
	eventlog_take_version(plan, eventlog_longest_version(log, plan));
	plan->probe = known->probe;
	plan->is_wanted = known->is_wanted;
	for (unsigned int i = 0; i < plan->compat_count; i++) {
		const struct compat *same = eventlog_same_compat(known, &plan->compats[i]);
		if (!same)
			continue;
		plan->compats[i].probe = same->probe;
		plan->compats[i].is_wanted = same->is_wanted;
		plan->wants_compats |= same->is_wanted;
	}
	if (plan->is_wanted || plan->wants_compats)
		plan->role = ROLE_WANTED;
	plan->is_direct = !plan->wants_compats;
	eventlog_enable_stacks(log);
	eventlog_note_missing(log);
}

bool eventlog_declare_spare(struct eventlog *log, const unsigned char *payload, size_t size)
{
	uint16_t type = bytes_u16(payload), length = bytes_u16(payload + 2);
	struct plan *plan = &log->plans[log->plan_of[type]];
	const char *text = (const char *)payload + DECLARE_BYTES;

	if (size - DECLARE_BYTES < length)
		return eventlog_damaged(log, log->scanned,
			"the description of event type %u is longer than its event", type);
	if (plan->is_learned) {
		plan->is_learned = false;
		return true;
	}
	if (type < WIRE_PROBES || plan->role != ROLE_SKIP || !plan->is_variable)
		return eventlog_damaged(log, log->scanned,
			"event type %u is described, and the header does not declare it as spare",
			type);
	if (!eventlog_describe(log, plan, text, length, text + length,
		    size - DECLARE_BYTES - length, log->scanned))
		return false;
	if (plan->description && log->settled)
		adopt(log, plan);
	return true;
}

static bool is_spare(const struct plan *plan)
{
	return plan->role == ROLE_SKIP && plan->is_variable && plan->type >= WIRE_PROBES &&
		!plan->description;
}

bool eventlog_has_spares(const struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++)
		if (is_spare(&log->plans[i]))
			return true;
	return false;
}

/* Probes of provider vm are known from vmtap's own contract; an older object may describe fewer
 * arguments. A log of the kernel's probes has only those that it describes. */
static bool is_of_own_provider(const struct record *record)
{
	static const char own[] = DESCRIBE_PROVIDER ":";

	return record->size >= DECLARE_BYTES + strlen(own) &&
		!memcmp(record->payload + DECLARE_BYTES, own, strlen(own));
}

bool eventlog_learn_declaration(struct eventlog *log, const struct record *record)
{
	struct plan *plan;

	if (record->type != WIRE_DECLARE || record->size < DECLARE_BYTES ||
		(is_of_own_provider(record) && !log->is_sampled_by_kernel) || log->settled)
		return true;
	plan = &log->plans[log->plan_of[bytes_u16(record->payload)]];
	if (!is_spare(plan))
		return true;
	if (!eventlog_declare_spare(log, record->payload, record->size))
		return false;
	plan->is_learned = true;
	return true;
}

void eventlog_note_missing(struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		const struct plan *plan = &log->plans[i];
		if (plan->role == ROLE_WANTED && plan->probe_arguments > plan->argument_count &&
			!plan->is_told)
			log->tells_missing = true;
	}
}

void eventlog_tell_missing(struct eventlog *log)
{
	char text[256] = "an object was built with an older version of the probes; what its events "
			 "lack reads as 0 or empty: ";
	size_t used = strlen(text), start = used;

	log->tells_missing = false;
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (plan->role != ROLE_WANTED || plan->probe_arguments <= plan->argument_count ||
			plan->is_told)
			continue;
		plan->is_told = true;
		if (used < sizeof(text))
			used += (size_t)snprintf(text + used, sizeof(text) - used,
				"%s%s from args[%u] on", used > start ? ", " : "",
				plan->description->name, plan->argument_count);
	}
	eventlog_add_message(log, text, strlen(text));
}
