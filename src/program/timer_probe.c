/* timer_probe.c: see timer_probe.h. */
#include "program/timer_probe.h"

#include <stdlib.h>
#include <string.h>

#include "base/pattern.h"
#include "program/option.h"

const char *const timer_ticks[] = {
	"tick-1", "tick-10", "tick-100", "tick-500", "tick-1000", "tick-5000", NULL};
const char *const timer_profiles[] = {"profile-97", "profile-199", "profile-499", "profile-997",
	"profile-1999", "profile-4001", "profile-4999", NULL};

uint64_t timer_period(const char *name, const char *prefix)
{
	uint64_t value, unit = 1000000000, period;
	bool is_rate = true;
	char *suffix;

	if (strncmp(name, prefix, strlen(prefix)) != 0 || strlen(name) >= TIMER_NAME_MAX)
		return 0;
	name += strlen(prefix);
	if (*name < '0' || *name > '9')
		return 0;
	value = strtoull(name, &suffix, 10);
	if (!value || (*suffix && !d_rate_unit(suffix, &unit, &is_rate)))
		return 0;
	if (is_rate)
		period = unit / value;
	else if (__builtin_mul_overflow(value, unit, &period) || period > INT64_MAX)
		return 0;
	return period >= TIMER_PERIOD_MIN ? period : 0;
}

bool timer_is_described(
	const struct d_asked *description, const char *prefix, const char *const *preset)
{
	const char *name = description->name;
	size_t stem = strlen(prefix) - 1; /* without the dash */

	if (!pattern_match(description->provider, "profile") || *description->module ||
		*description->function)
		return false;
	if (*name && !pattern_is_glob(name))
		return timer_period(name, prefix) != 0;
	/* Globs that are not meant for them do not find them. */
	if (strncmp(name, prefix, stem) != 0 && strncmp(description->provider, "prof", 4) != 0)
		return false;
	for (; *preset; preset++)
		if (pattern_match(name, *preset))
			return true;
	return false;
}

bool timer_is_profile(const struct d_asked *description)
{
	return timer_is_described(description, TIMER_PROFILE, timer_profiles);
}
