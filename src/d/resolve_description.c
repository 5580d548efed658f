/*
 * resolve_description.c: see resolve_description.h.
 */
#include "d/resolve_description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "d/resolve_advice.h"
#include "program/timer_probe.h"

/* A module or function that no process has is waited for only if a provider is named. */
static bool matches(const struct d_description *description, const struct d_probe *probe)
{
	return pattern_match(description->parts[3], probe->name) &&
		pattern_match(description->parts[0], probe->provider) &&
		((probe->is_expected && description->parts[0] && *description->parts[0]) ||
			(d_probe_matches_function(probe, description->parts[2]) &&
				d_probe_matches_module(probe, description->parts[1])));
}

/*
 * Returns the next candidate after the given index. A name without wildcards is looked up directly.
 */
static long next_probe(
	const struct d_probe_set *set, const struct d_description *description, long after)
{
	const char *name = description->parts[3];

	if (*name && !pattern_is_glob(name))
		return d_probe_set_find(set, name, after);
	return after + 1 < (long)set->count ? after + 1 : -1;
}

static int add_tick(struct d_compiler *compiler, const char *name, uint64_t period)
{
	struct d_probe_set *set = compiler->probe_set;
	char provider[] = "profile", empty[] = "", copy[64];
	struct d_probe probe = {.provider = provider,
		.module = empty,
		.function = empty,
		.name = copy,
		.kind = D_PROBE_TICK,
		.period = period};

	for (long i = d_probe_set_find(set, name, -1); i >= 0; i = d_probe_set_find(set, name, i)) {
		if (set->probes[i].kind == D_PROBE_TICK)
			return 0;
	}
	snprintf(copy, sizeof(copy), "%s", name);
	return d_probe_set_add(set, &probe) < 0 ? d_fail_memory(compiler) : 0;
}

static struct d_asked asked_by(const struct d_description *description)
{
	const char *const *parts = description->parts;

	return (struct d_asked){parts[0], parts[1], parts[2], parts[3], false};
}

/*
 * Tick probes: an exact name creates one; a glob that is meant for them (it contains tick, or names
 * the provider) finds the predefined ones.
 */
static int provide_ticks(struct d_compiler *compiler, const struct d_description *description)
{
	const struct d_asked asked = asked_by(description);
	int result = 0;

	if (!timer_is_described(&asked, TIMER_TICK, timer_ticks))
		return 0;
	if (*asked.name && !pattern_is_glob(asked.name))
		return add_tick(compiler, asked.name, timer_period(asked.name, TIMER_TICK));
	for (const char *const *tick = timer_ticks; *tick && !result; tick++)
		if (pattern_match(asked.name, *tick))
			result = add_tick(compiler, *tick, timer_period(*tick, TIMER_TICK));
	return result;
}

const char *d_description_text(struct d_compiler *compiler, const struct d_description *description)
{
	const char *const *parts = description->parts;
	size_t length = 4;
	char *text;

	if (description->is_number)
		length += 24;
	for (unsigned i = 0; i < 4 && !description->is_number; i++)
		length += strlen(parts[i]);
	text = d_get(compiler, length);
	if (!text)
		return "";
	if (description->is_number)
		snprintf(text, length, "%llu", (unsigned long long)description->number);
	else
		snprintf(text, length, "%s:%s:%s:%s", parts[0], parts[1], parts[2], parts[3]);
	return text;
}

uint32_t d_description_process(const struct d_description *description)
{
	const char *provider = description->is_number ? "" : description->parts[0];
	size_t digits = strlen(provider);
	unsigned long pid;

	while (digits && provider[digits - 1] >= '0' && provider[digits - 1] <= '9')
		digits--;
	pid = digits ? strtoul(provider + digits, NULL, 10) : 0;
	return pid <= INT32_MAX ? (uint32_t)pid : 0;
}

bool d_description_is_any(const struct d_description *description, bool zdefs)
{
	const char *provider = description->parts[0];
	const struct d_asked asked = asked_by(description);

	if (description->is_number || timer_is_profile(&asked))
		return false;
	return !*provider || pattern_is_glob(provider) ||
		(zdefs && d_description_process(description));
}

/* Whether it names a provider or a probe without wildcards. */
static bool is_spelled(const struct d_description *description)
{
	return (*description->parts[0] && !pattern_is_glob(description->parts[0])) ||
		(*description->parts[3] && !pattern_is_glob(description->parts[3]));
}

static bool is_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")];
}

static int fail_unmatched(
	struct d_compiler *compiler, const struct d_description *description, const char *advice)
{
	const char *text = d_description_text(compiler, description);
	const char *provider = description->is_number ? "" : description->parts[0];
	bool is_of_target = *provider == '*' && is_digits(provider + 1) &&
		atol(provider + 1) == compiler->settings.target;

	/* "*4711" would be no provider to a reader, who has written "*$target". */
	d_fail(compiler, &description->place, "D_PDESC_ZERO",
		"probe description %s%.300s does not match any probes%s",
		is_of_target ? "*$target" : "", text + (is_of_target ? strlen(provider) : 0),
		advice);
	if (compiler->error) {
		snprintf(compiler->error->unmatched, sizeof(compiler->error->unmatched), "%.255s",
			text);
		compiler->error->is_advised = *advice;
	}
	return -EINVAL;
}

/* Whether it has the form of a tick or a profile probe, but no period that these may have. */
static bool is_wrong_timer(const struct d_asked *asked, const char *prefix)
{
	const char *number = asked->name + strlen(prefix);

	return (!*asked->provider || !strcmp(asked->provider, "profile")) && !*asked->module &&
		!*asked->function && !strncmp(asked->name, prefix, strlen(prefix)) &&
		*number >= '0' && *number <= '9' && !pattern_is_glob(asked->name) &&
		!timer_period(asked->name, prefix);
}

/* Refuses timers that cannot be before a process is looked at or started for them. */
static int refuse_wrong_timer(struct d_compiler *compiler, const struct d_description *description)
{
	const struct d_asked asked = asked_by(description);

	if (compiler->options.zdefs)
		return 0;
	if (is_wrong_timer(&asked, TIMER_PROFILE))
		return fail_unmatched(compiler, description, D_ADVICE_PROFILE);
	if (is_wrong_timer(&asked, TIMER_TICK))
		return fail_unmatched(compiler, description, D_ADVICE_TICK);
	return 0;
}

int d_description_find_own(struct d_compiler *compiler, struct d_description *description)
{
	const struct d_probe_set *own = &compiler->own_probes;
	struct d_asked asked;

	description->is_own = false;
	if (description->is_number) {
		description->is_own = description->number && description->number <= own->count &&
			own->probes[description->number - 1].kind != D_PROBE_TICK;
		return 0;
	}
	if (!is_spelled(description))
		return 0;
	if (refuse_wrong_timer(compiler, description) || provide_ticks(compiler, description))
		return -1;
	for (long i = next_probe(own, description, -1); i >= 0 && !description->is_own;
		i = next_probe(own, description, i))
		description->is_own = matches(description, &own->probes[i]);
	/* profile::: is also that of the kernel's probes */
	asked = asked_by(description);
	description->is_own &= !timer_is_profile(&asked);
	return 0;
}

/*
 * Whether it names a provider that no process has, nor is expected to. The provider of a process
 * ends in its number.
 */
static bool names_new_provider(
	const struct d_probe_set *set, const struct d_description *description)
{
	const char *provider = description->parts[0];
	bool result = *provider &&
		(pattern_is_glob(provider) || strchr("0123456789", provider[strlen(provider) - 1]));

	for (size_t i = 0; i < set->count && result; i++)
		result = !d_probe_is_known(&set->probes[i]) ||
			!pattern_match(provider, set->probes[i].provider);
	return result;
}

/* Whether the target's provider has one of these probes, though the target cannot fire it: scripts
 * for many VMs describe probes that some lack. The caller tells the user. */
static bool has_siteless(const struct d_probe_set *set, const uint32_t *probes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (set->probes[probes[i]].is_siteless)
			return true;
	return false;
}

int d_description_resolve(struct d_compiler *compiler, const struct d_description *description,
	uint32_t **probes, size_t *count, size_t *later_count)
{
	struct d_probe_set *set = compiler->probe_set;
	size_t capacity = 0;
	char advice[256];

	*probes = NULL;
	*count = *later_count = 0;
	if (description->is_number) {
		if (!description->number || description->number > set->count ||
			set->probes[description->number - 1].is_absent)
			return d_fail(compiler, &description->place, "D_PDESC_INVAL",
				"probe identifier %llu not defined",
				(unsigned long long)description->number);
		*probes = malloc(sizeof(**probes));
		if (!*probes)
			return d_fail_memory(compiler);
		**probes = (uint32_t)description->number - 1;
		*count = 1;
		return 0;
	}
	if (provide_ticks(compiler, description))
		return -1;
	for (int absent = 0; absent < 2; absent++) {
		for (long i = next_probe(set, description, -1); i >= 0;
			i = next_probe(set, description, i)) {
			if (set->probes[i].is_absent != absent ||
				!matches(description, &set->probes[i]))
				continue;
			if (array_room(probes, &capacity, *count + *later_count, sizeof(**probes)))
				return d_fail_memory(compiler);
			(*probes)[*count + *later_count] = (uint32_t)i;
			++*(absent ? later_count : count);
		}
	}
	if (*count || compiler->options.zdefs ||
		(compiler->options.anydefs &&
			d_advice_may_be_missing(compiler, description->parts[0])) ||
		(compiler->settings.waits && *later_count) ||
		(compiler->settings.waits_for_programs && names_new_provider(set, description)) ||
		has_siteless(set, *probes, *later_count))
		return 0;
	d_advice(compiler, description, advice, sizeof(advice));
	if (!*advice && compiler->settings.waits && pattern_is_glob(description->parts[0]))
		snprintf(advice, sizeof(advice), " (no process has it now; -Z waits for one)");
	return fail_unmatched(compiler, description, advice);
}
