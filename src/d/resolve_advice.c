/*
 * resolve_advice.c: see resolve_advice.h. First come reasons that are certain, then probes and
 * providers that are spelt much like what is described, then what is known by other words.
 */
#include "d/resolve_advice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/pattern.h"
#include "base/suggestion.h"
#include "d/hint_probe.h"
#include "program/timer_probe.h"

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

/* The providers of the whole machine, which only the kernel has. */
static const char *const machine[] = {"fasttrap", "fbt", "io", "proc", "sched", "sdt", "syscall"};

enum { MACHINE = sizeof(machine) / sizeof(machine[0]) };

static bool is_of_machine(const char *provider)
{
	for (size_t i = 0; i < MACHINE; i++)
		if (!strcmp(machine[i], provider))
			return true;
	return false;
}

/* Whether it can be the name of a process's provider without the pid. */
static bool is_of_process(const char *provider)
{
	size_t length = strlen(provider);

	return length && !pattern_is_glob(provider) && !is_of_machine(provider) &&
		strcmp(provider, "profile") != 0 && strcmp(provider, "dtrace") != 0 &&
		!strchr("0123456789", provider[length - 1]);
}

/* Whether a provider's name ends in $target, which is 0 since there is no target. */
static bool is_of_no_target(const struct d_compiler *compiler, const char *provider)
{
	size_t length = strlen(provider);

	return !compiler->settings.target && length > 1 && provider[length - 1] == '0' &&
		!strchr("0123456789", provider[length - 2]);
}

/* Where the probes of a provider of the machine's come from, and why there are none. */
static void hint_machine(const struct d_probe_set *set, const struct d_description *description,
	char *buffer, size_t size)
{
	const char *const *parts = description->parts;
	bool is_name =
		!*parts[3] || pattern_match(parts[3], "entry") || pattern_match(parts[3], "return");

	if (!set->has_machine)
		snprintf(buffer, size, " (provider %.60s comes from the kernel)", parts[0]);
	else if (strcmp(parts[0], "fbt") != 0)
		return;
	else if (!is_name)
		snprintf(buffer, size, " (its probes are entry and return)");
	else if (*parts[1] && !*parts[2])
		snprintf(buffer, size,
			" (the kernel has no module %.60s with functions that it describes)",
			parts[1]);
	else
		snprintf(buffer, size,
			" (the kernel has no such function, or none that can be traced)");
}

/* What the user may have meant, or where such a probe could come from. */
static void hint(const struct d_compiler *compiler, const struct d_description *description,
	char *buffer, size_t size)
{
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
				: D_ADVICE_PROFILE);
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
	/* The target runs: there is another reason why it has no such probes. */
	if (!strncmp(provider, "pid", 3) && (!provider[3] || is_number(provider + 3)) &&
		!has_provider(set, provider) &&
		(compiler->settings.is_recorded || !compiler->settings.target ||
			atol(provider + 3) != compiler->settings.target))
		snprintf(buffer, size, " (provider %.60s needs a process that runs: -p or -c)",
			provider);
	else if (is_of_machine(provider) && !has_provider(set, provider))
		hint_machine(set, description, buffer, size);
	if (!*buffer)
		d_hint_provider(provider, name, buffer, size);
	if (!*buffer && is_of_no_target(compiler, provider))
		snprintf(buffer, size, " ($target is 0 without -p, -c or --log)");
	if (*buffer || strncmp(name, TIMER_TICK, strlen(TIMER_TICK)) != 0 ||
		!pattern_match(provider, "profile"))
		return;
	snprintf(buffer, size, "%s",
		*description->parts[1] || *description->parts[2]
			? " (tick probes have neither module nor function)"
			: D_ADVICE_TICK);
}

bool d_advice_may_be_missing(const struct d_compiler *compiler, const char *provider)
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
	for (size_t i = 0; i <= MACHINE && !suggestion.best && !*end; i++) {
		snprintf(known, sizeof(known), "%s", i < MACHINE ? machine[i] : "profile");
		suggestion_init(&suggestion, wanted);
		suggestion_offer(&suggestion, known);
	}
	for (size_t i = 0; i < set->count && !suggestion.best && !pattern_is_glob(wanted); i++) {
		const char *other = set->probes[i].provider;

		if (!d_probe_is_known(&set->probes[i]) ||
			(!is_any && strcmp(other + stem(other), end)))
			continue;
		snprintf(known, sizeof(known), "%.*s", (int)stem(other), other);
		suggestion_init(&suggestion, wanted);
		suggestion_offer(&suggestion, known);
	}
	if (suggestion.best)
		suggestion_phrase(buffer, size, "", known, is_any ? "*" : "");
}

/* Suggests the timer whose name is spelt much like this one, which need not exist yet. */
static void suggest_timer(const char *name, char *buffer, unsigned size)
{
	static const char *const prefixes[] = {TIMER_TICK, TIMER_PROFILE};
	const char *rate = name + strcspn(name, "0123456789");
	struct suggestion suggestion;
	char timer[SUGGESTION_MAX + 1];

	for (unsigned i = 0; i < 2 && !*buffer; i++) {
		if (snprintf(timer, sizeof(timer), "%s%s", prefixes[i], rate) >=
				(int)sizeof(timer) ||
			!timer_period(timer, prefixes[i]))
			continue;
		suggestion_init(&suggestion, name);
		suggestion_offer(&suggestion, timer);
		suggestion_text(&suggestion, buffer, size);
	}
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

/* Says which part is wrong if the provider has a probe of that name, elsewhere. */
static void suggest_place(const struct d_probe_set *set, const struct d_description *description,
	char *buffer, unsigned size)
{
	const char *const *parts = description->parts;
	const struct d_probe *found = NULL, *elsewhere = NULL;
	bool is_one = true;

	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (!d_probe_is_known(probe) || !pattern_match(parts[3], probe->name) ||
			!pattern_match(parts[0], probe->provider))
			continue;
		if (!d_probe_matches_function(probe, parts[2])) {
			elsewhere = *probe->function ? elsewhere : probe;
			continue;
		}
		is_one &= !found || !strcmp(found->module, probe->module);
		found = probe;
	}
	if (found && is_one && *found->module)
		snprintf(buffer, size, " (its module is %.80s)", found->module);
	else if (found && is_one)
		snprintf(buffer, size, " (the probes of provider %.60s have no module)",
			found->provider);
	else if (!found && elsewhere)
		snprintf(buffer, size, " (%s:::%s has no function)", elsewhere->provider,
			elsewhere->name);
}

/* Lists the names of a provider's probes, if they are few. */
static void list_names(
	const struct d_probe_set *set, const char *provider, char *buffer, size_t size)
{
	enum { NAMES_MAX = 20 };
	const char *names[NAMES_MAX + 1];
	size_t count = 0, used, i;

	for (size_t probe = 0; probe < set->count && count <= NAMES_MAX; probe++) {
		const char *name = set->probes[probe].name;

		if (!d_probe_is_known(&set->probes[probe]) ||
			!pattern_match(provider, set->probes[probe].provider))
			continue;
		for (i = 0; i < count && strcmp(names[i], name) != 0; i++)
			;
		if (i == count)
			names[count++] = name;
	}
	if (count > NAMES_MAX && is_of_machine(provider))
		snprintf(buffer, size, " (vmtap trace -l -P %s lists its probes)", provider);
	if (!count || count > NAMES_MAX)
		return;
	used = (size_t)snprintf(buffer, size,
		count == 1 ? " (the probe of %s is" : " (the probes of %s are", provider);
	for (i = 0; i < count && used < size; i++)
		used += (size_t)snprintf(buffer + used, size - used, "%s %s",
			!i                       ? ""
				: i + 1 == count ? " and"
						 : ",",
			names[i]);
	if (used + 1 < size)
		strcpy(buffer + used, ")");
	else
		*buffer = '\0';
}

/* Suggests a probe, or a provider, that is spelt much like the one that the description names. */
static void suggest(const struct d_probe_set *set, const struct d_description *description,
	char *buffer, unsigned size)
{
	const char *provider = description->parts[0], *name = description->parts[3];
	struct suggestion suggestion;
	const char *other = d_hint_renamed(provider, description->parts[2], name);
	const char *synonym = NULL;
	bool is_there = !*provider, is_named = false;

	if (other) {
		snprintf(buffer, size, " (Linux has %s)", other);
		return;
	}
	suggestion_init(&suggestion, name);
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (!d_probe_is_known(probe) || !pattern_match(provider, probe->provider))
			continue;
		is_there = true;
		is_named |= pattern_match(name, probe->name);
		if (!pattern_is_glob(name))
			suggestion_offer(&suggestion, probe->name);
		if (!synonym && d_hint_is_synonym(name, probe->name))
			synonym = probe->name;
	}
	if (*provider)
		suggest_place(set, description, buffer, size);
	if (!*buffer)
		suggestion_text(&suggestion, buffer, size);
	if (!*buffer && synonym)
		suggestion_phrase(buffer, size, "", synonym, "");
	if (!*buffer)
		suggest_call(set, description, buffer, size);
	if (!*buffer && is_named && !strcmp(provider, "syscall"))
		snprintf(buffer, size, " (Linux has no such system call)");
	if (!*buffer && pattern_match(provider, "profile"))
		suggest_timer(name, buffer, size);
	if (!*buffer && !is_there)
		suggest_provider(set, provider, buffer, size);
	if (!*buffer && !is_there && provider[stem(provider)] && !*description->parts[2] &&
		(!strcmp(name, "entry") || !strcmp(name, "return")))
		snprintf(buffer, size,
			" (the functions of a library are probes such as "
			"pid$target:%.*s::%s)",
			(int)(stem(provider) < 60 ? stem(provider) : 60), provider, name);
	if (!*buffer)
		d_hint_foreign(description->parts, buffer, size);
	if (!*buffer && is_there && *provider && !is_named)
		list_names(set, provider, buffer, size);
	if (!*buffer && !is_there && is_of_process(provider))
		snprintf(buffer, size,
			" (the provider of a process ends in its pid: %.60s$target, or %.60s* "
			"for any process)",
			provider, provider);
}

void d_advice(const struct d_compiler *compiler, const struct d_description *description,
	char *buffer, size_t size)
{
	hint(compiler, description, buffer, size);
	if (!*buffer)
		suggest(compiler->probe_set, description, buffer, size);
}
