/*
 * option.c: every option name DTrace knows has a row. Options without a place to keep
 * their value concern things that vmtap does not have (library paths, buffers of the
 * kernel): their values are checked and nothing else happens. Those of the preprocessor are
 * the command's, which runs it before a script gets here. Options whose effect would be
 * missed are refused.
 */
#include "d/option.h"

#include "d/resolve_attribute.h"
#include "d/resolve_library.h"

#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum option_kind {
	FLAG,    /* compile time: takes no value */
	BOOLEAN, /* run time: yes, no, a number */
	NUMBER,  /* the same forms, the number counts */
	COUNT,   /* compile time: a number, always */
	SIZE,
	RATE,
	TEXT, /* anything that is not empty */
	POLICY,
	RESIZE,
	ENCODING
};

enum option_place {
	NOWHERE,
	COMPILE_FLAG, /* bool in struct d_compile_flags */
	OPTION_BOOL,  /* in struct d_options */
	OPTION_INT,
	OPTION_U64,
	OPTION_POLICY,
	OPTION_ENCODING,
	MINIMUM,   /* amin: attributes */
	DIRECTORY, /* libdir: added to those before */
	VERSION,   /* of D, at most the current one */
	ANONYMOUS  /* there is no tracing without somebody who asks for it */
};

struct option {
	const char *name;
	enum option_kind kind;
	bool command_line_only;
	enum option_place place;
	size_t offset;
};

#define FLAG_AT(member) COMPILE_FLAG, offsetof(struct d_compile_flags, member)
#define BOOL_AT(member) OPTION_BOOL, offsetof(struct d_options, member)
#define INT_AT(member) OPTION_INT, offsetof(struct d_options, member)
#define U64_AT(member) OPTION_U64, offsetof(struct d_options, member)

static const struct option options[] = {
	{"agghist", BOOLEAN, false, BOOL_AT(agghist)},
	{"aggpack", BOOLEAN, false, BOOL_AT(aggpack)},
	{"aggpercpu", FLAG, false, BOOL_AT(aggpercpu)},
	{"aggrate", RATE, false, U64_AT(aggrate)},
	{"aggsize", SIZE, false, U64_AT(aggsize)},
	{"aggsortkey", BOOLEAN, false, BOOL_AT(aggsortkey)},
	{"aggsortkeypos", NUMBER, false, INT_AT(aggsortkeypos)},
	{"aggsortpos", NUMBER, false, INT_AT(aggsortpos)},
	{"aggsortrev", BOOLEAN, false, BOOL_AT(aggsortrev)},
	{"aggzoom", BOOLEAN, false, BOOL_AT(aggzoom)},
	{"amin", TEXT, false, MINIMUM, 0},
	{"argref", FLAG, false, FLAG_AT(argref)},
	{"bpflog", BOOLEAN, false, NOWHERE, 0},
	{"bpflogsize", SIZE, false, NOWHERE, 0},
	{"bufpolicy", POLICY, false, OPTION_POLICY, offsetof(struct d_options, bufpolicy)},
	{"bufresize", RESIZE, false, NOWHERE, 0},
	{"bufsize", SIZE, false, U64_AT(bufsize)},
	{"cleanrate", RATE, false, NOWHERE, 0},
	{"core", FLAG, false, NOWHERE, 0},
	{"cpp", FLAG, false, NOWHERE, 0},
	{"cppargs", TEXT, true, NOWHERE, 0},
	{"cpphdrs", FLAG, true, NOWHERE, 0},
	{"cpppath", TEXT, true, NOWHERE, 0},
	{"cpu", NUMBER, false, INT_AT(cpu)},
	{"ctfpath", TEXT, true, NOWHERE, 0},
	{"ctypes", TEXT, false, NOWHERE, 0},
	{"debug", FLAG, false, NOWHERE, 0},
	{"defaultargs", FLAG, false, FLAG_AT(defaultargs)},
	{"define", TEXT, true, NOWHERE, 0},
	{"destructive", BOOLEAN, false, BOOL_AT(destructive)},
	{"disasm", TEXT, false, NOWHERE, 0},
	{"dofstashpath", TEXT, false, NOWHERE, 0},
	{"droptags", FLAG, false, BOOL_AT(droptags)},
	{"dtypes", TEXT, false, NOWHERE, 0},
	{"dynvarsize", SIZE, false, U64_AT(dynvarsize)},
	{"empty", FLAG, false, FLAG_AT(empty)},
	{"encoding", ENCODING, false, OPTION_ENCODING, offsetof(struct d_options, encoding)},
	{"errtags", FLAG, false, FLAG_AT(error_tags)},
	{"evaltime", TEXT, false, NOWHERE, 0},
	{"flowindent", BOOLEAN, false, BOOL_AT(flowindent)},
	{"grabanon", BOOLEAN, false, ANONYMOUS, 0},
	{"incdir", TEXT, true, NOWHERE, 0},
	{"iregs", COUNT, false, NOWHERE, 0},
	{"jstackframes", NUMBER, false, INT_AT(jstackframes)},
	{"jstackstrsize", SIZE, false, NOWHERE, 0},
	{"kdefs", FLAG, false, NOWHERE, 0},
	{"knodefs", FLAG, false, NOWHERE, 0},
	{"late", TEXT, false, NOWHERE, 0},
	{"ldpath", TEXT, true, NOWHERE, 0},
	{"libdir", TEXT, false, DIRECTORY, 0},
	{"linkmode", TEXT, false, NOWHERE, 0},
	{"linktype", TEXT, false, NOWHERE, 0},
	{"lockmem", TEXT, true, NOWHERE, 0},
	{"maxframes", NUMBER, false, NOWHERE, 0},
	{"modpath", TEXT, true, NOWHERE, 0},
	{"nolibs", FLAG, false, FLAG_AT(nolibs)},
	{"noresolve", BOOLEAN, false, NOWHERE, 0},
	{"nspec", NUMBER, false, INT_AT(nspec)},
	{"pcapsize", SIZE, false, NOWHERE, 0},
	{"pgmax", COUNT, false, NOWHERE, 0},
	{"preallocate", SIZE, false, NOWHERE, 0},
	{"printsize", SIZE, false, U64_AT(printsize)},
	{"procfspath", TEXT, true, NOWHERE, 0},
	{"pspec", FLAG, false, FLAG_AT(pspec)},
	{"quiet", BOOLEAN, false, BOOL_AT(quiet)},
	{"quietresize", BOOLEAN, false, NOWHERE, 0},
	{"rawbytes", BOOLEAN, false, BOOL_AT(rawbytes)},
	{"scratchsize", SIZE, false, U64_AT(scratchsize)},
	{"specsize", SIZE, false, U64_AT(specsize)},
	{"stackframes", NUMBER, false, INT_AT(stackframes)},
	{"stackindent", NUMBER, false, INT_AT(stackindent)},
	{"statusrate", RATE, false, U64_AT(statusrate)},
	{"stdc", TEXT, true, NOWHERE, 0},
	{"strsize", SIZE, false, U64_AT(strsize)},
	{"switchrate", RATE, false, U64_AT(switchrate)},
	{"syslibdir", TEXT, false, NOWHERE, 0},
	{"sysslice", TEXT, false, NOWHERE, 0},
	{"temporal", BOOLEAN, false, NOWHERE, 0},
	{"tree", COUNT, false, NOWHERE, 0},
	{"tregs", COUNT, false, NOWHERE, 0},
	{"udefs", FLAG, false, NOWHERE, 0},
	{"undef", TEXT, true, NOWHERE, 0},
	{"unodefs", FLAG, false, NOWHERE, 0},
	{"useruid", COUNT, false, NOWHERE, 0},
	{"ustackframes", NUMBER, false, INT_AT(ustackframes)},
	{"verbose", FLAG, false, NOWHERE, 0},
	{"version", TEXT, false, VERSION, 0},
	{"zdefs", FLAG, false, BOOL_AT(zdefs)},
};

static const char invalid_name[] = "Invalid option name";
static const char invalid_value[] = "Invalid value for specified option";

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

/* Options that setopt() may set while tracing is active. */
static bool is_dynamic(const struct option *option)
{
	static const char *const names[] = {"agghist", "aggpack", "aggrate", "aggsortkey",
		"aggsortkeypos", "aggsortpos", "aggsortrev", "aggzoom", "flowindent", "printsize",
		"quiet", "quietresize", "rawbytes", "stackindent", "switchrate", NULL};

	return one_of(option->name, names);
}

/* Options that have done what they do once a script is compiled. */
static bool is_compile_time(const struct option *option)
{
	return option->kind == FLAG || option->kind == COUNT || option->kind == TEXT ||
		option->kind == ENCODING;
}

static const struct option *find(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (!strcmp(options[i].name, name))
			return &options[i];
	return NULL;
}

/* Options that take one of a few words. */
static bool is_choice(const char *name, const char *value)
{
	static const struct {
		const char *name, *words[5];
	} choices[] = {{"evaltime", {"exec", "preinit", "postinit", "main", NULL}},
		{"late", {"static", "dynamic", NULL}},
		{"linkmode", {"kernel", "static", "dynamic", NULL}},
		{"linktype", {"elf", "dof", NULL}}, {"stdc", {"a", "c", "s", "t", NULL}}};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (!strcmp(choices[i].name, name))
			return one_of(value, choices[i].words);
	}
	return true;
}

/* What a value says; NULL: no value. False: not a value for this option. */
static bool parse(const struct option *option, const char *value, bool *set, uint64_t *result)
{
	static const char *const policies[] = {"switch", "fill", "ring"};
	static const char *const resizes[] = {"auto", "manual", NULL};
	const char *behind;

	*set = true;
	*result = 1;
	switch (option->kind) {
	case FLAG:
		return !value;
	case BOOLEAN:
	case NUMBER:
		return boolean(value, set, result);
	case COUNT:
		return value && number(value, result, &behind) && !*behind && *result <= INT32_MAX;
	case SIZE:
		return size(value, result);
	case RATE:
		return rate(value, result);
	case TEXT:
		return value && *value && is_choice(option->name, value);
	case POLICY:
		for (*result = D_BUFFER_SWITCH; value && *result <= D_BUFFER_RING; ++*result)
			if (!strcasecmp(value, policies[*result]))
				return true;
		return false;
	case RESIZE:
		return value && one_of(value, resizes);
	case ENCODING:
		*result = value && !strcmp(value, "utf8") ? D_ENCODING_UTF8 : D_ENCODING_ASCII;
		return value && (*result == D_ENCODING_UTF8 || !strcmp(value, "ascii"));
	}
	return false;
}

/* Limits that go beyond the form of a value. */
static bool in_range(const struct option *option, uint64_t value)
{
	if (!strcmp(option->name, "strsize"))
		return value >= 2 && value <= (1 << 20);
	if (!strcmp(option->name, "nspec"))
		return value <= D_SPECULATIONS_MAX;
	/* Registers of the kernel's machine: nothing here has them, but scripts may ask. */
	if (!strcmp(option->name, "iregs"))
		return value >= 1 && value <= 8;
	if (!strcmp(option->name, "tregs") || !strcmp(option->name, "tree"))
		return value >= 1;
	return true;
}

static const char *store(const struct option *option, struct d_compile_flags *flags,
	struct d_options *run_time, bool set, uint64_t value)
{
	void *at = (char *)(option->place == COMPILE_FLAG ? (void *)flags : (void *)run_time) +
		option->offset;

	switch (option->place) {
	case COMPILE_FLAG:
	case OPTION_BOOL:
		*(bool *)at = set;
		break;
	case OPTION_INT:
		/* Without a value the option is as if never set: what it was at first. */
		if (!set) {
			struct d_options first;
			d_options_init(&first);
			value = (uint64_t) * (int *)((char *)&first + option->offset);
		}
		*(int *)at = (int)value;
		break;
	case OPTION_U64:
		*(uint64_t *)at = value;
		break;
	case OPTION_ENCODING:
		*(enum d_encoding *)at = (enum d_encoding)value;
		break;
	case OPTION_POLICY:
		*(enum d_buffer_policy *)at = (enum d_buffer_policy)value;
		break;
	case MINIMUM:
	case DIRECTORY:
	case VERSION: /* their text is the value: set_text() */
		break;
	case ANONYMOUS:
		return set ? "There is no anonymous tracing to grab" : NULL;
	case NOWHERE:
		break;
	}
	return NULL;
}

static const char *set_text(
	const struct option *option, struct d_compile_flags *flags, const char *value)
{
	if (option->place == MINIMUM) {
		if (!stability_parse(value, strlen(value), &flags->amin))
			return invalid_value;
		flags->has_amin = true;
		return NULL;
	}
	if (!d_version_parse(value, &flags->version))
		return "Version is not properly formatted or is too large";
	return flags->version > D_VERSION_CURRENT ? "Requested version is not supported by compiler"
						  : NULL;
}

const char *d_option_set(
	struct d_compiler *compiler, const char *name, const char *value, bool in_program)
{
	const struct option *option = find(name);
	uint64_t number;
	bool set;

	if (!option)
		return invalid_name;
	if (option->command_line_only && in_program)
		return "Option cannot be used from within a D program";
	if (!parse(option, value, &set, &number) || !in_range(option, number))
		return invalid_value;
	if (option->place == DIRECTORY)
		return d_library_add_directory(compiler, value) ? "Memory allocation failure"
								: NULL;
	if (option->place == MINIMUM || option->place == VERSION)
		return set_text(option, &compiler->flags, value);
	return store(option, &compiler->flags, &compiler->program->options, set, number);
}

const char *d_option_set_running(struct d_options *run_time, const char *name, const char *value)
{
	const struct option *option = find(name);
	uint64_t number;
	bool set;

	if (!option)
		return invalid_name;
	if (!parse(option, value, &set, &number) || !in_range(option, number))
		return invalid_value;
	if (is_compile_time(option))
		return NULL;
	return is_dynamic(option) ? store(option, NULL, run_time, set, number)
				  : "Operation illegal when tracing is active";
}
