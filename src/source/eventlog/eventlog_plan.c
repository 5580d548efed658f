/*
 * eventlog_plan.c: event types as a log declares them: how each is read, which probes it
 * carries, and which of these are enabled.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "source/eventlog/eventlog_private.h"
#include "wire/describe.h"
#include "wire/wire_type.h"

static uint8_t number_field(const struct describe_argument *argument)
{
	switch (argument->size) {
	case 1:
		return argument->is_signed ? FIELD_S8 : FIELD_U8;
	case 2:
		return argument->is_signed ? FIELD_S16 : FIELD_U16;
	case 4:
		return argument->is_signed ? FIELD_S32 : FIELD_U32;
	default:
		return FIELD_64;
	}
}

void eventlog_plan_probe(struct plan *plan, const struct description *description)
{
	uint16_t offset = 0;

	plan->role = ROLE_PROBE;
	plan->probe = UINT32_MAX;
	plan->argument_count = plan->probe_arguments = description->argument_count;
	plan->least = description->payload;
	plan->text_argument = description->text_argument;
	plan->has_text = description->text_argument < description->argument_count;
	plan->text_count = 0;
	for (unsigned int i = 0; i < description->argument_count; i++) {
		const struct describe_argument *argument = &description->arguments[i];
		if (argument->kind == DESCRIBE_CAP) {
			plan->has_cap = true;
		} else if (argument->kind == DESCRIBE_TEXT) {
			plan->text_count++;
		} else {
			plan->fields[plan->field_count].argument = (uint8_t)i;
			plan->fields[plan->field_count].offset = offset;
			plan->fields[plan->field_count].kind = argument->kind == DESCRIBE_RUNNING
				? FIELD_RUNNING
				: number_field(argument);
			if (argument->kind == DESCRIBE_NAME) {
				plan->fields[plan->field_count].kind = FIELD_NAME;
				plan->takes_names = true;
			}
			plan->field_count++;
			offset += argument->size;
		}
	}
}

/* Finds the provider of a compatible probe, or adds it. Returns false if there are too many. */
static bool find_provider(struct eventlog *log, struct compat *compat)
{
	size_t i = 0;

	while (i < log->provider_count &&
		strcmp(log->providers[i].name, compat->description.provider) != 0)
		i++;
	if (i == EVENTLOG_PROVIDERS_MAX)
		return false;
	if (i == log->provider_count) {
		strcpy(log->providers[log->provider_count++].name, compat->description.provider);
		log->providers[i].is_there = !compat->description.is_absent;
	}
	compat->provider = (uint8_t)i;
	return true;
}

bool eventlog_add_compat(
	struct eventlog *log, struct plan *plan, const struct compat *compat, uint64_t position)
{
	struct compat *grown;

	if (plan->compat_count == EVENTLOG_COMPATS_MAX)
		return eventlog_damaged(log, position,
			"event type %u fires more than %d probes of other providers", plan->type,
			EVENTLOG_COMPATS_MAX);
	grown = realloc(plan->compats, (plan->compat_count + 1u) * sizeof(*grown));
	if (!grown)
		return eventlog_damaged(log, position, "out of memory");
	plan->compats = grown;
	grown[plan->compat_count] = *compat;
	if (!find_provider(log, &grown[plan->compat_count]))
		return eventlog_damaged(
			log, position, "more than %d providers", EVENTLOG_PROVIDERS_MAX);
	plan->compat_count++;
	return true;
}

/* Reads the lines of an event type's extension. Returns false if they are damaged. */
static bool plan_compats(struct eventlog *log, struct plan *plan, const char *extension,
	size_t length, uint64_t position)
{
	const char *end = extension + length;

	for (const char *line = extension, *next; line < end; line = next) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		struct compat compat = {.probe = UINT32_MAX};
		struct error error;
		int described;

		next = newline ? newline + 1 : end;
		if (log->is_sampled_by_kernel &&
			describe_place(line, (size_t)((newline ? newline : end) - line),
				plan->description))
			continue;
		described = describe_compat(line, (size_t)((newline ? newline : end) - line),
			plan->description, &compat.description, &error);
		if (described < 0)
			return eventlog_damaged(
				log, position, "event type %u: %s", plan->type, error.text);
		if (!described)
			continue;
		if (!eventlog_add_compat(log, plan, &compat, position))
			return false;
	}
	return true;
}

bool eventlog_describe(struct eventlog *log, struct plan *plan, const char *text, size_t length,
	const char *extension, size_t extension_length, uint64_t position)
{
	struct description description;
	struct error error;
	int described = describe_parse(text, length, &description, &error);

	if (described < 0)
		return eventlog_damaged(log, position, "event type %u: %s", plan->type, error.text);
	if (!described)
		return true;
	if (plan->role != ROLE_SKIP)
		return eventlog_damaged(
			log, position, "event type %u cannot carry a probe", plan->type);
	eventlog_plan_probe(plan, &description);
	if (plan->has_text && !plan->is_variable)
		return eventlog_damaged(log, position,
			"event type %u (%s) has a text and a fixed size", plan->type,
			description.name);
	if (plan->payload < plan->least)
		return eventlog_damaged(log, position,
			"event type %u (%s) is declared with size %u, its arguments take %u",
			plan->type, description.name, plan->payload, plan->least);
	plan->description = malloc(sizeof(description));
	if (!plan->description)
		return eventlog_damaged(log, position, "out of memory");
	*plan->description = description;
	plan->provider = plan->description->provider;
	return plan_compats(log, plan, extension, extension_length, position) &&
		eventlog_take_carried(log, plan, extension, extension_length, position) &&
		eventlog_check_versions(log, plan, position);
}

bool eventlog_declare(struct eventlog *log, const struct header *header, uint64_t position)
{
	uint16_t type = header->type.number, size = header->type.size;
	const struct wire_type *known = wire_type_find(type);
	struct plan plan = {.role = ROLE_SKIP, .type = type, .payload = size};

	plan.is_variable = size == WIRE_VARIABLE;
	if (known && known->traits & WIRE_READ) {
		plan.role = ROLE_READ;
		plan.least = known->least;
		if (plan.is_variable != (known->size == WIRE_VARIABLE) || size < plan.least)
			return eventlog_damaged(log, position,
				"event type %u (%s) is declared with size %u", type, known->name,
				size);
	}
	if (!eventlog_describe(log, &plan, header->type.text, header->type.length,
		    header->type.extension, header->type.extension_length, position))
		goto damaged;
	if (array_room(&log->plans, &log->plan_capacity, log->plan_count, sizeof(*log->plans))) {
		eventlog_damaged(log, position, "out of memory");
		goto damaged;
	}
	log->plan_of[type] = (uint16_t)log->plan_count;
	log->plans[log->plan_count++] = plan;
	return true;
damaged:
	free(plan.description);
	free(plan.compats);
	return false;
}

static bool is_named(const char *name, const char *names, size_t length)
{
	size_t wanted = strlen(name), word;

	for (size_t at = 0; at < length; at += word + 1) {
		const char *blank = memchr(names + at, ' ', length - at);
		word = blank ? (size_t)(blank - names) - at : length - at;
		if (word == wanted && !memcmp(names + at, name, word))
			return true;
	}
	return false;
}

/* Drops the changes that are older than any time that may still be looked up. */
static void forget_changes(const struct eventlog *log, struct compat_provider *provider)
{
	size_t past = 0;

	while (past < provider->count && provider->changes[past] <= log->announced)
		past++;
	provider->is_there ^= past & 1;
	provider->count -= past;
	memmove(provider->changes, provider->changes + past,
		provider->count * sizeof(*provider->changes));
}

bool eventlog_take_providers(struct eventlog *log, uint64_t time, const char *names, size_t length)
{
	for (size_t i = 0; i < log->provider_count; i++) {
		struct compat_provider *provider = &log->providers[i];

		if (is_named(provider->name, names, length) ==
			eventlog_has_provider(provider, UINT64_MAX))
			continue;
		if (provider->count == provider->capacity && provider->count)
			forget_changes(log, provider);
		if (provider->count == EVENTLOG_CHANGES_MAX)
			return eventlog_damaged(log, log->scanned,
				"provider %s comes and goes more than %d times", provider->name,
				EVENTLOG_CHANGES_MAX);
		if (provider->count && provider->changes[provider->count - 1] > time)
			time = provider->changes[provider->count - 1];
		if (array_room(&provider->changes, &provider->capacity, provider->count,
			    sizeof(*provider->changes)))
			return eventlog_damaged(log, log->scanned, "out of memory");
		provider->changes[provider->count++] = time;
	}
	return true;
}

/* Adds "ruby" of process 1234 as provider "ruby1234". Returns the index in the set, or a
 * negative errno. */
static long add_probe(
	struct d_probe_set *set, struct d_probe *probe, const char *provider, uint32_t pid)
{
	char text[64];

	snprintf(text, sizeof(text), "%s%" PRIu32, provider, pid);
	probe->provider = text;
	return d_probe_set_add(set, probe);
}

/* Adds a plan's compatible provider's probe. Returns the index in the set, or a negative errno. */
static long add_compat(const struct plan *plan, const struct compat *compat, struct d_probe *probe,
	uint32_t pid, struct d_probe_set *set)
{
	const struct compat_description *description = &compat->description;
	struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX];

	/* the set makes a copy, but its pointers are not const */
	probe->name = (char *)description->name;
	probe->argument_count = description->argument_count;
	probe->arguments = arguments;
	for (unsigned int i = 0; i < probe->argument_count; i++) {
		probe->arguments[i].type = (char *)description->arguments[i].type;
		probe->arguments[i].name = *description->arguments[i].name
			? (char *)description->arguments[i].name
			: plan->description->arguments[description->arguments[i].index].name;
	}
	return add_probe(set, probe, description->provider, pid);
}

/* Returns the same derived probe, fired by another event type, that has been added; NULL if there
 * is none. */
static const struct compat *find_derived(const struct eventlog *log, const struct compat *compat)
{
	for (size_t i = 1; compat->is_derived && i < log->plan_count; i++)
		for (unsigned int j = 0; j < log->plans[i].compat_count; j++) {
			const struct compat *other = &log->plans[i].compats[j];
			if (other->is_derived && other->probe != UINT32_MAX &&
				!strcmp(other->description.name, compat->description.name))
				return other;
		}
	return NULL;
}

/* Adds a plan's own probe, then its compatible ones or, with absent, only those that may still
 * appear. A version of a probe that is already in the set adds none. */
static int add_plan(struct eventlog *log, struct plan *plan, bool absent, uint32_t pid,
	char *module, struct d_probe_set *set)
{
	const struct plan *first = eventlog_first_version(log, plan);
	const struct plan *longest = eventlog_longest_version(log, plan);
	struct description *description = longest->description;
	struct d_probe_argument arguments[D_PROBE_ARGUMENTS_MAX];
	char none[1] = "";
	struct d_probe probe = {.kind = D_PROBE_SOURCE,
		.module = module,
		.function = none,
		.name = description->name,
		.source_tag = plan->type,
		.argument_count = description->argument_count,
		.arguments = arguments,
		.is_absent = absent,
		.is_siteless = plan->is_siteless};
	long index = 0;

	if (*description->module)
		probe.module = description->module;
	if (*description->function)
		probe.function = description->function;
	eventlog_take_version(plan, longest);
	for (unsigned int i = 0; i < probe.argument_count; i++) {
		probe.arguments[i].type = description->arguments[i].type;
		probe.arguments[i].name = description->arguments[i].name;
		if (description->arguments[i].kind == DESCRIBE_NAME)
			probe.names |= (uint16_t)(1u << i);
	}
	if (absent == plan->is_siteless) {
		index = first == plan ? add_probe(set, &probe, plan->provider, pid)
				      : (long)first->probe;
		plan->probe = (uint32_t)index;
	}
	for (unsigned int i = 0; i < plan->compat_count && index >= 0; i++) {
		struct compat *compat = &plan->compats[i];
		const struct compat *same = first == plan ? find_derived(log, compat)
							  : eventlog_same_compat(first, compat);
		if (compat->description.is_absent != absent)
			continue;
		index = same ? (long)same->probe : add_compat(plan, compat, &probe, pid, set);
		compat->probe = (uint32_t)index;
	}
	return index < 0 ? (int)index : 0;
}

int eventlog_add_probes(
	struct eventlog *log, uint32_t pid, const char *module, struct d_probe_set *set)
{
	int result = 0;

	if (log->settled || !log->declared ||
		(log->form_open && !log->stalled && !eventlog_over(log)))
		return -EINVAL;
	if (log->file >= 0 && eventlog_is_unordered(log)) {
		log->windows = calloc(1, sizeof(*log->windows));
		if (!log->windows)
			return -ENOMEM;
		log->windows->fd = log->file;
	}
	result = eventlog_plan_siteless(log);
	for (int absent = 0; absent < 2; absent++)
		for (size_t i = 1; i < log->plan_count && !result; i++)
			if (log->plans[i].description)
				result = add_plan(
					log, &log->plans[i], absent, pid, (char *)module, set);
	if (result)
		return result;
	eventlog_take_stability(log, set);
	log->settled = true;
	return 0;
}

void eventlog_renumber(struct eventlog *log, const uint32_t *numbers)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (!plan->description || plan->probe == UINT32_MAX)
			continue;
		plan->probe = numbers[plan->probe];
		for (unsigned int j = 0; j < plan->compat_count; j++)
			plan->compats[j].probe = numbers[plan->compats[j].probe];
	}
}

static bool is_among(uint32_t probe, const uint32_t *probes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (probes[i] == probe)
			return true;
	return false;
}

/* Probes that name a thread by its capability need the thread that last ran there. */
static void enable_running(struct eventlog *log)
{
	bool is_needed = false;

	for (size_t i = 1; log->running && i < log->plan_count && !is_needed; i++)
		for (unsigned int j = 0; j < log->plans[i].field_count; j++)
			is_needed |= log->plans[i].role == ROLE_WANTED &&
				log->plans[i].fields[j].kind == FIELD_RUNNING;
	for (size_t i = 1; is_needed && i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (plan->type != WIRE_RUN_THREAD || !plan->description)
			continue;
		plan->role = ROLE_WANTED;
		plan->says_running = true;
		plan->is_direct = false;
	}
}

void eventlog_want_thread_ends(struct eventlog *log)
{
	uint16_t plan = log->plan_of[WIRE_THREAD_END];

	if (!plan) /* of an older library */
		return;
	log->plans[plan].role = ROLE_WANTED;
	log->plans[plan].is_direct = true;
	log->plans[plan].probe = EVENT_THREAD_END;
}

int eventlog_enable(struct eventlog *log, const uint32_t *probes, size_t count, uint32_t answer)
{
	if (!log->settled)
		return -EINVAL;
	log->awaited = answer;
	log->awaits = answer != 0;
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (!plan->description)
			continue;
		plan->is_wanted = is_among(plan->probe, probes, count);
		plan->wants_compats = false;
		for (unsigned int j = 0; j < plan->compat_count; j++) {
			plan->compats[j].is_wanted =
				is_among(plan->compats[j].probe, probes, count);
			plan->wants_compats |= plan->compats[j].is_wanted;
		}
		plan->role = plan->is_wanted || plan->wants_compats ? ROLE_WANTED : ROLE_PROBE;
		plan->is_direct = !plan->wants_compats;
		plan->says_running = false;
	}
	enable_running(log);
	eventlog_enable_ghc(log);
	eventlog_enable_stacks(log);
	log->sample_period = eventlog_sample_period(log);
	eventlog_note_missing(log);
	return 0;
}

/* Returns the first plan whose events fire a probe, or NULL. *compat is set to the index of the
 * compatible probe, or to -1 if it is the plan's own. */
static const struct plan *find_plan(const struct eventlog *log, uint32_t probe, int *compat)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		const struct plan *plan = &log->plans[i];
		if (!plan->description)
			continue;
		for (*compat = -1; *compat < (int)plan->compat_count; (*compat)++)
			if ((*compat < 0 ? plan->probe : plan->compats[*compat].probe) == probe)
				return plan;
	}
	return NULL;
}

const char *eventlog_event_of(const struct eventlog *log, uint32_t probe)
{
	int compat;
	const struct plan *plan = find_plan(log, probe, &compat);

	return plan ? eventlog_first_version(log, plan)->description->event : NULL;
}

uint16_t eventlog_event_arguments(const struct eventlog *log, uint32_t probe, uint64_t arguments)
{
	int compat;
	const struct plan *plan = find_plan(log, probe, &compat);
	const struct compat_description *description;
	uint16_t mask = 0;

	if (!plan || compat < 0)
		return (uint16_t)arguments;
	description = &plan->compats[compat].description;
	for (unsigned int i = 0; i < description->argument_count; i++)
		if (arguments >> i & 1)
			mask |= (uint16_t)(1u << description->arguments[i].index);
	return mask;
}
