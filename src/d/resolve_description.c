/*
 * resolve_description.c: see resolve_description.h.
 */
#include "d/resolve_description.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/pattern.h"
#include "base/suggestion.h"
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

static bool is_number(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/*
 * The probe that is meant by gc__end, gc_end or GC-END, as other tracers and the probe macros spell
 * them; NULL: none.
 */
static const char *meant(const struct d_probe_set *set, const struct d_description *description)
{
	const char *name = description->parts[3];
	char dashed[64];
	size_t length = 0;

	for (; *name && length + 1 < sizeof(dashed); name++)
		if (*name != '_' || !length || dashed[length - 1] != '-')
			dashed[length++] = *name == '_' ? '-' : *name;
	dashed[length] = '\0';
	for (size_t i = 0; i < set->count; i++)
		if ((!set->probes[i].is_absent || set->probes[i].is_expected) &&
			!strcasecmp(set->probes[i].name, dashed) &&
			strcmp(set->probes[i].name, description->parts[3]) != 0 &&
			pattern_match(description->parts[0], set->probes[i].provider))
			return set->probes[i].name;
	return NULL;
}

static bool has_provider(const struct d_probe_set *set, const char *provider)
{
	for (size_t i = 0; i < set->count; i++)
		if (!strcmp(set->probes[i].provider, provider))
			return true;
	return false;
}

#define PROFILE_NAMES " (profile-N, N from 1, with ns us ms s m h d or hz; at most 5000 a second)"
#define TICK_NAMES " (tick-N, N from 1, with ns us ms s m h d or hz; at most 5000 a second)"

/* Whether it is a provider of the whole machine, which only the kernel has. */
static bool is_of_machine(const char *provider)
{
	static const char *const names[] = {
		"fasttrap", "fbt", "io", "proc", "sched", "sdt", "syscall"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(names[i], provider))
			return true;
	return false;
}

/* Whether a provider's name ends in $target, which is 0 since there is no target. */
static bool is_of_no_target(const struct d_compiler *compiler, const char *provider)
{
	size_t length = strlen(provider);

	return !compiler->settings.target && length > 1 && provider[length - 1] == '0' &&
		!strchr("0123456789", provider[length - 2]);
}

/* What the user may have meant, or where such a probe could come from. */
static void hint(const struct d_compiler *compiler, const struct d_description *description,
	char *buffer, size_t size)
{
	static const char *const kernel[] = {"fasttrap", "fbt", "io", "ip", "lockstat", "pid",
		"proc", "rawtp", "sched", "sdt", "syscall", "tcp", "udp", "cpc", "rawfbt"};
	const struct d_probe_set *set = compiler->probe_set;
	const char *provider = description->parts[0], *name = description->parts[3];
	size_t length = strlen(provider);
	const char *other = meant(set, description);

	*buffer = '\0';
	if (other) {
		snprintf(buffer, size, " (the probe's name is %.100s)", other);
		return;
	}
	if (!strncmp(name, TIMER_PROFILE, strlen(TIMER_PROFILE)) &&
		pattern_match(provider, "profile")) {
		snprintf(buffer, size, "%s",
			*description->parts[1] || *description->parts[2]
				? " (profile probes have neither module nor function)"
				: timer_period(name, TIMER_PROFILE)
				? " (profile probes come from the kernel, or from a VM that has "
				  "the probe sample; tick-n works with every source)"
				: PROFILE_NAMES);
		return;
	}
	for (size_t i = 0; i < set->count && length; i++) {
		const char *known = set->probes[i].provider;

		if (set->probes[i].is_absent && !set->probes[i].is_expected &&
			!set->probes[i].is_siteless && pattern_match(provider, known) &&
			pattern_match(name, set->probes[i].name)) {
			snprintf(buffer, size, " (the process is built without provider %.*s)",
				(int)strcspn(known, "0123456789"), known);
			return;
		}
	}
	/* Not if the provider's name ends in a digit: then it is that of another process. */
	for (size_t i = 0; i < set->count && length && !strchr("0123456789", provider[length - 1]);
		i++) {
		const char *known = set->probes[i].provider;

		if (!set->probes[i].is_absent && !strncmp(known, provider, length) &&
			is_number(known + length)) {
			snprintf(buffer, size,
				" (the provider's name ends in the pid: %.60s$target)", provider);
			return;
		}
	}
	for (size_t i = 0; i < sizeof(kernel) / sizeof(kernel[0]); i++) {
		const char *rest = provider + strlen(kernel[i]);

		if (!strncmp(provider, kernel[i], strlen(kernel[i])) &&
			(!*rest || is_number(rest)) && !has_provider(set, provider))
			snprintf(buffer, size,
				!strcmp(kernel[i], "pid")
					? " (provider %.60s needs a process that runs: -p or -c)"
					: is_of_machine(provider)
					? " (provider %.60s comes from the kernel)"
					: " (no source of this build has provider %.60s)",
				provider);
	}
	if (!*buffer && is_of_no_target(compiler, provider))
		snprintf(buffer, size, " ($target is 0 without -p, -c or --log)");
	if (*buffer || strncmp(name, TIMER_TICK, strlen(TIMER_TICK)) != 0 ||
		!pattern_match(provider, "profile"))
		return;
	snprintf(buffer, size, "%s",
		*description->parts[1] || *description->parts[2]
			? " (tick probes have neither module nor function)"
			: TICK_NAMES);
}

/* Whether a description of this provider may match nothing if another description matches (option
 * anydefs). It may not if no source has this provider of the machine. */
static bool may_be_missing(const struct d_compiler *compiler, const char *provider)
{
	return !is_of_no_target(compiler, provider) &&
		(!is_of_machine(provider) || has_provider(compiler->probe_set, provider));
}

/* The length of a provider's name without the pid at its end. */
static size_t stem(const char *provider)
{
	size_t length = strlen(provider);

	while (length && provider[length - 1] >= '0' && provider[length - 1] <= '9')
		length--;
	return length;
}

/* Whether a process has the probe, or is expected to. */
static bool is_known(const struct d_probe *probe)
{
	return !probe->is_absent || probe->is_expected || probe->is_siteless;
}

/*
 * Suggests a provider that is spelt much like the description's. Another pid is not a misspelling,
 * so both must end in the same pid; "vm*" stands for the provider of any process.
 */
static void suggest_provider(
	const struct d_probe_set *set, const char *provider, char *buffer, unsigned size)
{
	char wanted[SUGGESTION_MAX + 1], known[SUGGESTION_MAX + 1];
	const char *end = strchr(provider, '*');
	bool is_any = end && end > provider && !end[1];
	struct suggestion suggestion = {.best = NULL};

	if (!is_any)
		end = provider + stem(provider);
	snprintf(wanted, sizeof(wanted), "%.*s", (int)(end - provider), provider);
	for (size_t i = 0; i < set->count && !suggestion.best && !pattern_is_glob(wanted); i++) {
		const char *other = set->probes[i].provider;

		if (!is_known(&set->probes[i]) || (!is_any && strcmp(other + stem(other), end)))
			continue;
		snprintf(known, sizeof(known), "%.*s", (int)stem(other), other);
		suggestion_init(&suggestion, wanted);
		suggestion_offer(&suggestion, known);
	}
	if (suggestion.best)
		snprintf(buffer, size, " (did you mean %s%s?)", known, is_any ? "*" : "");
}

/* Suggests the tick probe whose name is spelt much like this one, which need not exist yet. */
static void suggest_tick(const char *name, char *buffer, unsigned size)
{
	const char *rate = name + strcspn(name, "0123456789");
	struct suggestion suggestion;
	char tick[SUGGESTION_MAX + 1];

	if (snprintf(tick, sizeof(tick), "%s%s", TIMER_TICK, rate) >= (int)sizeof(tick) ||
		!timer_period(tick, TIMER_TICK))
		return;
	suggestion_init(&suggestion, name);
	suggestion_offer(&suggestion, tick);
	suggestion_text(&suggestion, buffer, size);
}

/* Suggests a system call, or a function of the kernel's: the function of a probe whose other parts
 * are those of the description. Functions of programs are too many, and are suggested where they
 * are looked for. */
static void suggest_call(const struct d_probe_set *set, const struct d_description *description,
	char *buffer, unsigned size)
{
	const char *function = description->parts[2];
	struct suggestion suggestion;

	if (!*function || pattern_is_glob(function))
		return;
	suggestion_init(&suggestion, function);
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if ((!strcmp(probe->provider, "syscall") || !strcmp(probe->provider, "fbt")) &&
			pattern_match(description->parts[0], probe->provider) &&
			pattern_match(description->parts[3], probe->name))
			suggestion_offer(&suggestion, probe->function);
	}
	suggestion_text(&suggestion, buffer, size);
}

/* Suggests a probe, or a provider, that is spelt much like the one that the description names. */
static void suggest(const struct d_probe_set *set, const struct d_description *description,
	char *buffer, unsigned size)
{
	const char *provider = description->parts[0], *name = description->parts[3];
	struct suggestion suggestion;
	bool is_there = !*provider;

	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (!is_known(probe) || !pattern_match(provider, probe->provider))
			continue;
		is_there = true;
		if (!pattern_is_glob(name))
			suggestion_offer(&suggestion, probe->name);
	}
	suggestion_text(&suggestion, buffer, size);
	if (!*buffer)
		suggest_call(set, description, buffer, size);
	if (!*buffer && pattern_match(provider, "profile"))
		suggest_tick(name, buffer, size);
	if (!*buffer && !is_there)
		suggest_provider(set, provider, buffer, size);
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

static int fail_unmatched(
	struct d_compiler *compiler, const struct d_description *description, const char *advice)
{
	const char *text = d_description_text(compiler, description);

	d_fail(compiler, &description->place, "D_PDESC_ZERO",
		"probe description %.300s does not match any probes%s", text, advice);
	if (compiler->error)
		snprintf(compiler->error->unmatched, sizeof(compiler->error->unmatched), "%.255s",
			text);
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
		return fail_unmatched(compiler, description, PROFILE_NAMES);
	if (is_wrong_timer(&asked, TIMER_TICK))
		return fail_unmatched(compiler, description, TICK_NAMES);
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

/* Whether it names a provider that no process has, nor is expected to. */
static bool names_new_provider(
	const struct d_probe_set *set, const struct d_description *description)
{
	const char *provider = description->parts[0];
	bool result = *provider;

	for (size_t i = 0; i < set->count && result; i++)
		result = !is_known(&set->probes[i]) ||
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
	char advice[160];

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
		(compiler->options.anydefs && may_be_missing(compiler, description->parts[0])) ||
		(compiler->settings.waits && *later_count) ||
		(compiler->settings.waits_for_programs && names_new_provider(set, description)) ||
		has_siteless(set, *probes, *later_count))
		return 0;
	hint(compiler, description, advice, sizeof(advice));
	if (!*advice)
		suggest(set, description, advice, sizeof(advice));
	if (!*advice && compiler->settings.waits && pattern_is_glob(description->parts[0]))
		snprintf(advice, sizeof(advice), " (no process has it now; -Z waits for one)");
	return fail_unmatched(compiler, description, advice);
}
