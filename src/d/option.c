/*
 * option.c: every option name DTrace knows has a row. Options without a place to keep
 * their value concern things that vmtap does not have (library paths, buffers of the
 * kernel): their values are checked and nothing else happens. Options whose effect would
 * be missed are refused.
 */
#include "d/option.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum kind {
	FLAG,    /* compile time: takes no value */
	BOOLEAN, /* run time: yes, no, a number */
	NUMBER,  /* the same forms, the number counts */
	SIZE,
	RATE,
	TEXT, /* anything that is not empty */
	POLICY,
	RESIZE
};

enum place {
	NOWHERE,
	LATER,        /* would change what a script does, and does not yet */
	COMPILE_FLAG, /* bool in struct d_compile_flags */
	OPTION_BOOL,  /* in struct d_options */
	OPTION_INT,
	OPTION_U64
};

struct option {
	const char *name;
	enum kind kind;
	bool command_line_only;
	enum place place;
	size_t offset;
};

#define FLAG_AT(member) COMPILE_FLAG, offsetof(struct d_compile_flags, member)
#define BOOL_AT(member) OPTION_BOOL, offsetof(struct d_options, member)
#define INT_AT(member) OPTION_INT, offsetof(struct d_options, member)
#define U64_AT(member) OPTION_U64, offsetof(struct d_options, member)

static const struct option options[] = {
	{"aggpercpu", FLAG, false, LATER, 0},
	{"aggrate", RATE, false, U64_AT(aggrate)},
	{"aggsize", SIZE, false, U64_AT(aggsize)},
	{"aggsortkey", BOOLEAN, false, BOOL_AT(aggsortkey)},
	{"aggsortkeypos", NUMBER, false, INT_AT(aggsortkeypos)},
	{"aggsortpos", NUMBER, false, INT_AT(aggsortpos)},
	{"aggsortrev", BOOLEAN, false, BOOL_AT(aggsortrev)},
	{"amin", TEXT, false, LATER, 0},
	{"argref", FLAG, false, FLAG_AT(argref)},
	{"bpflog", BOOLEAN, false, NOWHERE, 0},
	{"bpflogsize", SIZE, false, NOWHERE, 0},
	{"bufpolicy", POLICY, false, NOWHERE, 0},
	{"bufresize", RESIZE, false, NOWHERE, 0},
	{"bufsize", SIZE, false, U64_AT(bufsize)},
	{"cleanrate", RATE, false, NOWHERE, 0},
	{"core", FLAG, false, NOWHERE, 0},
	{"cpp", FLAG, false, LATER, 0},
	{"cppargs", TEXT, true, LATER, 0},
	{"cpphdrs", FLAG, true, LATER, 0},
	{"cpppath", TEXT, true, NOWHERE, 0},
	{"cpu", NUMBER, false, LATER, 0},
	{"ctfpath", TEXT, true, NOWHERE, 0},
	{"ctypes", TEXT, false, NOWHERE, 0},
	{"debug", FLAG, false, NOWHERE, 0},
	{"defaultargs", FLAG, false, FLAG_AT(defaultargs)},
	{"define", TEXT, true, LATER, 0},
	{"destructive", BOOLEAN, false, NOWHERE, 0},
	{"disasm", TEXT, false, NOWHERE, 0},
	{"dofstashpath", TEXT, false, NOWHERE, 0},
	{"droptags", FLAG, false, BOOL_AT(droptags)},
	{"dtypes", TEXT, false, NOWHERE, 0},
	{"dynvarsize", SIZE, false, U64_AT(dynvarsize)},
	{"empty", FLAG, false, FLAG_AT(empty)},
	{"errtags", FLAG, false, FLAG_AT(error_tags)},
	{"evaltime", TEXT, false, NOWHERE, 0},
	{"flowindent", BOOLEAN, false, BOOL_AT(flowindent)},
	{"grabanon", BOOLEAN, false, LATER, 0},
	{"incdir", TEXT, true, LATER, 0},
	{"iregs", NUMBER, false, NOWHERE, 0},
	{"jstackframes", NUMBER, false, NOWHERE, 0},
	{"jstackstrsize", SIZE, false, NOWHERE, 0},
	{"kdefs", FLAG, false, NOWHERE, 0},
	{"knodefs", FLAG, false, NOWHERE, 0},
	{"late", TEXT, false, NOWHERE, 0},
	{"ldpath", TEXT, true, NOWHERE, 0},
	{"libdir", TEXT, false, NOWHERE, 0},
	{"linkmode", TEXT, false, NOWHERE, 0},
	{"linktype", TEXT, false, NOWHERE, 0},
	{"lockmem", TEXT, true, NOWHERE, 0},
	{"maxframes", NUMBER, false, NOWHERE, 0},
	{"modpath", TEXT, true, NOWHERE, 0},
	{"nolibs", FLAG, false, NOWHERE, 0},
	{"noresolve", BOOLEAN, false, NOWHERE, 0},
	{"nspec", NUMBER, false, NOWHERE, 0},
	{"pcapsize", SIZE, false, NOWHERE, 0},
	{"pgmax", NUMBER, false, NOWHERE, 0},
	{"preallocate", NUMBER, false, NOWHERE, 0},
	{"printsize", SIZE, false, NOWHERE, 0},
	{"procfspath", TEXT, true, NOWHERE, 0},
	{"pspec", FLAG, false, FLAG_AT(pspec)},
	{"quiet", BOOLEAN, false, BOOL_AT(quiet)},
	{"quietresize", BOOLEAN, false, NOWHERE, 0},
	{"rawbytes", BOOLEAN, false, BOOL_AT(rawbytes)},
	{"scratchsize", SIZE, false, NOWHERE, 0},
	{"specsize", SIZE, false, NOWHERE, 0},
	{"stackframes", NUMBER, false, NOWHERE, 0},
	{"stackindent", NUMBER, false, NOWHERE, 0},
	{"statusrate", RATE, false, U64_AT(statusrate)},
	{"stdc", TEXT, true, LATER, 0},
	{"strsize", SIZE, false, U64_AT(strsize)},
	{"switchrate", RATE, false, U64_AT(switchrate)},
	{"syslibdir", TEXT, false, NOWHERE, 0},
	{"sysslice", FLAG, false, NOWHERE, 0},
	{"tree", NUMBER, false, NOWHERE, 0},
	{"tregs", NUMBER, false, NOWHERE, 0},
	{"udefs", FLAG, false, NOWHERE, 0},
	{"undef", TEXT, true, LATER, 0},
	{"unodefs", FLAG, false, NOWHERE, 0},
	{"useruid", NUMBER, false, NOWHERE, 0},
	{"ustackframes", NUMBER, false, NOWHERE, 0},
	{"verbose", FLAG, false, NOWHERE, 0},
	{"version", TEXT, false, NOWHERE, 0},
	{"zdefs", FLAG, false, BOOL_AT(zdefs)},
};

static const char invalid_value[] = "Invalid value for specified option";
static const char not_yet[] = "Option is not supported yet";

/* A number at the start of text; behind it is *behind. */
static bool number(const char *text, uint64_t *value, const char **behind)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	*behind = end;
	return !errno;
}

static bool one_of(const char *text, const char *const *words)
{
	for (; *words; words++) {
		if (!strcasecmp(text, *words))
			return true;
	}
	return false;
}

/* Absent is 0, which counts as set; so does every number. */
static bool boolean(const char *text, bool *set, uint64_t *value)
{
	static const char *const yes[] = {"yes", "enable", "enabled", "true", "on", "set", NULL};
	static const char *const no[] = {
		"no", "disable", "disabled", "false", "off", "unset", "", NULL};
	const char *behind;

	*value = 0;
	*set = true;
	if (!text)
		return true;
	if (one_of(text, yes)) {
		*value = 1;
		return true;
	}
	if (one_of(text, no)) {
		*set = false;
		return true;
	}
	return number(text, value, &behind) && !*behind && *value <= INT32_MAX;
}

static bool size(const char *text, uint64_t *value)
{
	static const char units[] = "kmgt";
	const char *behind, *unit;
	unsigned shift = 0;

	if (!text || !number(text, value, &behind))
		return false;
	if (*behind) {
		unit = strchr(units, tolower((unsigned char)*behind));
		if (!unit || behind[1])
			return false;
		shift = 10 * (unsigned)(unit - units + 1);
	}
	if (*value > UINT64_MAX >> shift)
		return false;
	*value <<= shift;
	return *value <= (UINT64_C(1) << 62);
}

bool d_rate_unit(const char *suffix, uint64_t *nanoseconds, bool *is_rate)
{
	static const struct {
		const char *suffix;
		uint64_t nanoseconds;
	} units[] = {{"ns", 1}, {"nsec", 1}, {"us", 1000}, {"usec", 1000}, {"ms", 1000000},
		{"msec", 1000000}, {"s", 1000000000}, {"sec", 1000000000},
		{"m", UINT64_C(60000000000)}, {"min", UINT64_C(60000000000)},
		{"h", UINT64_C(3600000000000)}, {"hour", UINT64_C(3600000000000)},
		{"d", UINT64_C(86400000000000)}, {"day", UINT64_C(86400000000000)}};

	*is_rate = !strcasecmp(suffix, "hz");
	*nanoseconds = 1000000000;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]) && !*is_rate; i++) {
		if (!strcasecmp(suffix, units[i].suffix)) {
			*nanoseconds = units[i].nanoseconds;
			return true;
		}
	}
	return *is_rate;
}

/* Without a suffix: nanoseconds. */
static bool rate(const char *text, uint64_t *value)
{
	const char *suffix;
	uint64_t unit = 1;
	bool is_rate = false;

	if (!text || !number(text, value, &suffix))
		return false;
	if (*suffix && !d_rate_unit(suffix, &unit, &is_rate))
		return false;
	if (is_rate) {
		if (!*value)
			return false;
		*value = unit / *value;
		return true;
	}
	return !__builtin_mul_overflow(*value, unit, value) && *value <= INT64_MAX;
}

static const char *store(
	struct d_compiler *compiler, const struct option *option, bool set, uint64_t value)
{
	struct d_options *run_time = &compiler->program->options;

	switch (option->place) {
	case COMPILE_FLAG:
		*(bool *)((char *)&compiler->flags + option->offset) = set;
		break;
	case OPTION_BOOL:
		*(bool *)((char *)run_time + option->offset) = set;
		break;
	case OPTION_INT:
		*(int *)((char *)run_time + option->offset) = (int)value;
		break;
	case OPTION_U64:
		*(uint64_t *)((char *)run_time + option->offset) = value;
		break;
	case LATER:
		return set ? not_yet : NULL;
	case NOWHERE:
		break;
	}
	return NULL;
}

const char *d_option_set(
	struct d_compiler *compiler, const char *name, const char *value, bool in_program)
{
	static const char *const policies[] = {"switch", "fill", "ring", NULL};
	static const char *const resizes[] = {"auto", "manual", NULL};
	const struct option *option = NULL;
	uint64_t number_value = 1;
	bool set = true, good = true;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]) && !option; i++) {
		if (!strcmp(options[i].name, name))
			option = &options[i];
	}
	if (!option)
		return "Invalid option name";
	if (option->command_line_only && in_program)
		return "Option cannot be used from within a D program";
	switch (option->kind) {
	case FLAG:
		good = !value;
		break;
	case BOOLEAN:
	case NUMBER:
		good = boolean(value, &set, &number_value);
		break;
	case SIZE:
		good = size(value, &number_value);
		if (!strcmp(name, "strsize"))
			good = good && number_value >= 2 && number_value <= (1 << 20);
		break;
	case RATE:
		good = rate(value, &number_value);
		break;
	case TEXT:
		good = value && *value;
		break;
	case POLICY:
		good = value && one_of(value, policies);
		if (good && strcasecmp(value, policies[0]) != 0)
			return not_yet;
		break;
	case RESIZE:
		good = value && one_of(value, resizes);
		break;
	}
	return good ? store(compiler, option, set, number_value) : invalid_value;
}
