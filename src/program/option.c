/*
 * option.c: every option name DTrace knows has a row in the table. Options that store no value
 * concern things that vmtap does not have (library paths, kernel buffers): their values are checked
 * and otherwise ignored. Options whose effect the user would miss are refused.
 */
#include "program/option.h"
#include "base/arena.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggestion.h"

enum option_kind {
	FLAG,    /* compile time: takes no value */
	BOOLEAN, /* run time: yes, no, a number */
	NUMBER,  /* the same forms; the number is the value */
	COUNT,   /* compile time: always a number */
	SIZE,
	RATE,
	TEXT, /* any text that is not empty */
	POLICY,
	RESIZE,
	ENCODING,
	FORM,
	SAMPLING
};

enum option_place {
	NOWHERE,
	COMPILE_FLAG, /* bool in struct d_compile_options */
	OPTION_BOOL,  /* in struct d_options */
	OPTION_INT,
	OPTION_U64,
	OPTION_POLICY,
	OPTION_ENCODING,
	OPTION_FORM,
	OPTION_SAMPLING,
	MINIMUM,       /* amin: attributes */
	DIRECTORY,     /* libdir: added to the earlier ones */
	VERSION,       /* of D, at most the current one */
	CPP_PATH,      /* path of the preprocessor */
	CPP_ARGUMENT,  /* the value is an argument of the preprocessor, after the row's prefix */
	CPP_ARGUMENTS, /* several of them */
	CPP_STANDARD,  /* stdc: what the preprocessor defines __STDC__ as */
	ANONYMOUS      /* grabanon: vmtap has no anonymous tracing */
};

struct option {
	const char *name;
	enum option_kind kind;
	bool command_line_only;
	enum option_place place;
	size_t offset;
	const char *prefix; /* of a CPP_ARGUMENT */
};

#define FLAG_AT(member) COMPILE_FLAG, offsetof(struct d_compile_options, member), NULL
#define BOOL_AT(member) OPTION_BOOL, offsetof(struct d_options, member), NULL
#define INT_AT(member) OPTION_INT, offsetof(struct d_options, member), NULL
#define U64_AT(member) OPTION_U64, offsetof(struct d_options, member), NULL
#define POLICY_AT(member) OPTION_POLICY, offsetof(struct d_options, member), NULL
#define ENCODING_AT(member) OPTION_ENCODING, offsetof(struct d_options, member), NULL
#define FORM_AT(member) OPTION_FORM, offsetof(struct d_options, member), NULL
#define AT(place) place, 0, NULL

static const struct option options[] = {
	{"agghist", BOOLEAN, false, BOOL_AT(agghist)},
	{"aggpack", BOOLEAN, false, BOOL_AT(aggpack)},
	{"aggpercpu", FLAG, false, BOOL_AT(aggpercpu)},
	{"aggrate", RATE, false, AT(NOWHERE)},
	{"aggsize", SIZE, false, U64_AT(aggsize)},
	{"aggsortkey", BOOLEAN, false, BOOL_AT(aggsortkey)},
	{"aggsortkeypos", NUMBER, false, INT_AT(aggsortkeypos)},
	{"aggsortpos", NUMBER, false, INT_AT(aggsortpos)},
	{"aggsortrev", BOOLEAN, false, BOOL_AT(aggsortrev)},
	{"aggzoom", BOOLEAN, false, BOOL_AT(aggzoom)},
	{"amin", TEXT, false, AT(MINIMUM)},
	{"anydefs", FLAG, false, FLAG_AT(anydefs)},
	{"argref", FLAG, false, FLAG_AT(argref)},
	{"bpflog", BOOLEAN, false, AT(NOWHERE)},
	{"bpflogsize", SIZE, false, AT(NOWHERE)},
	{"bufpolicy", POLICY, false, POLICY_AT(bufpolicy)},
	{"bufresize", RESIZE, false, AT(NOWHERE)},
	{"bufsize", SIZE, false, U64_AT(bufsize)},
	{"cleanrate", RATE, false, AT(NOWHERE)},
	{"core", FLAG, false, AT(NOWHERE)},
	{"cpp", FLAG, false, FLAG_AT(cpp)},
	{"cppargs", TEXT, true, AT(CPP_ARGUMENTS)},
	{"cpphdrs", FLAG, true, CPP_ARGUMENT, 0, "-H"},
	{"cpppath", TEXT, true, AT(CPP_PATH)},
	{"cpu", NUMBER, false, INT_AT(cpu)},
	{"ctfpath", TEXT, true, AT(NOWHERE)},
	{"ctypes", TEXT, false, AT(NOWHERE)},
	{"debug", FLAG, false, AT(NOWHERE)},
	{"defaultargs", FLAG, false, FLAG_AT(defaultargs)},
	{"define", TEXT, true, CPP_ARGUMENT, 0, "-D"},
	{"destructive", BOOLEAN, false, BOOL_AT(destructive)},
	{"disasm", TEXT, false, AT(NOWHERE)},
	{"dofstashpath", TEXT, false, AT(NOWHERE)},
	{"droptags", FLAG, false, BOOL_AT(droptags)},
	{"dtypes", TEXT, false, AT(NOWHERE)},
	{"dynvarsize", SIZE, false, U64_AT(dynvarsize)},
	{"empty", FLAG, false, FLAG_AT(empty)},
	{"encoding", ENCODING, false, ENCODING_AT(encoding)},
	{"errtags", FLAG, false, FLAG_AT(error_tags)},
	{"evaltime", TEXT, false, AT(NOWHERE)},
	{"flowindent", BOOLEAN, false, BOOL_AT(flowindent)},
	{"format", FORM, false, FORM_AT(format)},
	{"grabanon", BOOLEAN, false, AT(ANONYMOUS)},
	{"heapsample", RATE, false, U64_AT(heapsample)},
	{"incdir", TEXT, true, CPP_ARGUMENT, 0, "-I"},
	{"iregs", COUNT, false, AT(NOWHERE)},
	{"jstackframes", NUMBER, false, INT_AT(jstackframes)},
	{"jstackstrsize", SIZE, false, AT(NOWHERE)},
	{"kdefs", FLAG, false, AT(NOWHERE)},
	{"knodefs", FLAG, false, AT(NOWHERE)},
	{"late", TEXT, false, AT(NOWHERE)},
	{"ldpath", TEXT, true, AT(NOWHERE)},
	{"libdir", TEXT, false, AT(DIRECTORY)},
	{"linkmode", TEXT, false, AT(NOWHERE)},
	{"linktype", TEXT, false, AT(NOWHERE)},
	{"lockmem", TEXT, true, AT(NOWHERE)},
	{"mangled", BOOLEAN, false, BOOL_AT(mangled)},
	{"maxframes", NUMBER, false, AT(NOWHERE)},
	{"modpath", TEXT, true, AT(NOWHERE)},
	{"nolibs", FLAG, false, FLAG_AT(nolibs)},
	{"noresolve", BOOLEAN, false, AT(NOWHERE)},
	{"nspec", NUMBER, false, INT_AT(nspec)},
	{"pcapsize", SIZE, false, AT(NOWHERE)},
	{"pgmax", COUNT, false, AT(NOWHERE)},
	{"preallocate", SIZE, false, AT(NOWHERE)},
	{"printsize", SIZE, false, U64_AT(printsize)},
	{"procfspath", TEXT, true, AT(NOWHERE)},
	{"pspec", FLAG, false, FLAG_AT(pspec)},
	{"quiet", BOOLEAN, false, BOOL_AT(quiet)},
	{"quietresize", BOOLEAN, false, AT(NOWHERE)},
	{"rawbytes", BOOLEAN, false, BOOL_AT(rawbytes)},
	{"rawnames", BOOLEAN, false, BOOL_AT(rawnames)},
	{"reduce", BOOLEAN, false, BOOL_AT(reduce)},
	{"sample", SAMPLING, false, OPTION_SAMPLING, offsetof(struct d_options, sample), NULL},
	{"scratchsize", SIZE, false, U64_AT(scratchsize)},
	{"specsize", SIZE, false, U64_AT(specsize)},
	{"stackframes", NUMBER, false, INT_AT(stackframes)},
	{"stackindent", NUMBER, false, INT_AT(stackindent)},
	{"statusrate", RATE, false, U64_AT(statusrate)},
	{"stdc", TEXT, true, AT(CPP_STANDARD)},
	{"strsize", SIZE, false, U64_AT(strsize)},
	{"switchrate", RATE, false, U64_AT(switchrate)},
	{"syslibdir", TEXT, false, AT(NOWHERE)},
	{"sysslice", TEXT, false, AT(NOWHERE)},
	{"table", BOOLEAN, false, BOOL_AT(table)},
	{"temporal", BOOLEAN, false, AT(NOWHERE)},
	{"tree", COUNT, false, AT(NOWHERE)},
	{"tregs", COUNT, false, AT(NOWHERE)},
	{"unsafesystem", BOOLEAN, false, BOOL_AT(unsafesystem)},
	{"udefs", FLAG, false, AT(NOWHERE)},
	{"undef", TEXT, true, CPP_ARGUMENT, 0, "-U"},
	{"unodefs", FLAG, false, AT(NOWHERE)},
	{"useruid", COUNT, false, AT(NOWHERE)},
	{"ustackframes", NUMBER, false, INT_AT(ustackframes)},
	{"verbose", FLAG, false, AT(NOWHERE)},
	{"version", TEXT, false, AT(VERSION)},
	{"zdefs", FLAG, false, FLAG_AT(zdefs)},
};

static const char invalid_name[] = "Invalid option name";
static const char invalid_value[] = "Invalid value for specified option";
static const char no_memory[] = "Memory allocation failure";

void d_options_init(struct d_options *options)
{
	memset(options, 0, sizeof(*options));
	options->statusrate = UINT64_C(1000000000);
	options->heapsample = UINT64_C(1000000000);
	options->cpu = -1;
	options->nspec = 1;
	options->specsize = 4 << 20;
	options->strsize = 256;
	options->bufsize = 4 << 20;
	options->reduce = true;
	options->aggsize = 4 << 20;
	options->dynvarsize = 1 << 20;
	options->scratchsize = 256;
	options->printsize = 8192;
	options->stackframes = 20;
	options->ustackframes = 100;
	options->jstackframes = 50;
	options->stackindent = 14;
}

static void free_texts(struct d_option_texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		free(texts->items[i]);
	free(texts->items);
}

void d_compile_options_free(struct d_compile_options *options)
{
	free_texts(&options->libdir);
	free_texts(&options->cpp_arguments);
	free(options->cpppath);
	memset(options, 0, sizeof(*options));
}

/* Parses the number at the start of text and points *end at the first character after it. */
static bool number(const char *text, uint64_t *value, const char **end)
{
	char *stopped;

	if (!isdigit((unsigned char)*text))
		return false;
	errno = 0;
	*value = strtoull(text, &stopped, 0);
	*end = stopped;
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

/* No value gives 0 and counts as set, as does every number. */
static bool boolean(const char *text, bool *set, uint64_t *value)
{
	static const char *const yes[] = {"yes", "enable", "enabled", "true", "on", "set", NULL};
	static const char *const no[] = {
		"no", "disable", "disabled", "false", "off", "unset", "", NULL};
	const char *end;

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
	return number(text, value, &end) && !*end && *value <= INT32_MAX;
}

static bool size(const char *text, uint64_t *value)
{
	static const char units[] = "kmgt";
	const char *end, *unit;
	unsigned shift = 0;

	if (!text || !number(text, value, &end))
		return false;
	if (*end) {
		unit = strchr(units, tolower((unsigned char)*end));
		if (!unit || end[1])
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

bool d_version_parse(const char *text, uint32_t *version)
{
	static const unsigned limits[] = {255, 4095, 4095};
	static const unsigned shifts[] = {24, 12, 0};
	unsigned parts = 0;
	char *end;

	*version = 0;
	do {
		unsigned long value;

		if (parts == 3 || !isdigit((unsigned char)*text))
			return false;
		value = strtoul(text, &end, 10);
		if (value > limits[parts])
			return false;
		*version |= (uint32_t)value << shifts[parts++];
		text = end + 1;
	} while (*end == '.');
	return !*end && parts >= 2;
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

#define SAMPLING_BYTES (UINT64_C(1) << 63)
#define SAMPLING_ELAPSED (UINT64_C(1) << 62)

/* "97" or "97hz", "10ms", "wall:97hz", "alloc:512k"; the value has a bit that says which. */
static bool sampling(const char *text, uint64_t *value)
{
	static const char allocated[] = "alloc:", wall[] = "wall:";
	uint64_t clock = 0;
	uint64_t unit = 1000000000;
	const char *suffix;
	bool is_rate = true;

	if (text && !strncmp(text, allocated, sizeof(allocated) - 1)) {
		if (!size(text + sizeof(allocated) - 1, value) || !*value)
			return false;
		*value |= SAMPLING_BYTES;
		return true;
	}
	if (text && !strncmp(text, wall, sizeof(wall) - 1)) {
		text += sizeof(wall) - 1;
		clock = SAMPLING_ELAPSED;
	}
	if (!text || !number(text, value, &suffix) || !*value ||
		(*suffix && !d_rate_unit(suffix, &unit, &is_rate)))
		return false;
	if (is_rate)
		*value = unit / *value;
	else if (__builtin_mul_overflow(*value, unit, value))
		return false;
	if (!*value || *value >= SAMPLING_ELAPSED)
		return false;
	*value |= clock;
	return true;
}

/* Options that setopt() may set while tracing is active. */
static bool is_dynamic(const struct option *option)
{
	static const char *const names[] = {"agghist", "aggpack", "aggrate", "aggsortkey",
		"aggsortkeypos", "aggsortpos", "aggsortrev", "aggzoom", "flowindent", "printsize",
		"quiet", "quietresize", "rawbytes", "stackindent", "switchrate", "table", NULL};

	return one_of(option->name, names);
}

/* Options that have no effect after a script has been compiled. */
static bool is_compile_time(const struct option *option)
{
	return option->kind == FLAG || option->kind == COUNT || option->kind == TEXT ||
		option->kind == ENCODING;
}

static const struct option *find_option(const char *name)
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
		{"linktype", {"elf", "dof", NULL}}};

	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		if (!strcmp(choices[i].name, name))
			return one_of(value, choices[i].words);
	}
	return true;
}

/* Parses a value (NULL: none was given). False: it is not a value for this option. */
static bool parse(const struct option *option, const char *value, bool *set, uint64_t *result)
{
	static const char *const policies[] = {"switch", "fill", "ring"};
	static const char *const resizes[] = {"auto", "manual", NULL};
	const char *end;

	*set = true;
	*result = 1;
	switch (option->kind) {
	case FLAG:
		return !value;
	case BOOLEAN:
	case NUMBER:
		return boolean(value, set, result);
	case COUNT:
		return value && number(value, result, &end) && !*end && *result <= INT32_MAX;
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
	case FORM:
		*result = value && !strcmp(value, "json") ? D_OUTPUT_JSON : D_OUTPUT_TEXT;
		return value && (*result == D_OUTPUT_JSON || !strcmp(value, "text"));
	case SAMPLING:
		return sampling(value, result);
	}
	return false;
}

/* Limits on values that are otherwise well-formed. */
static bool in_range(const struct option *option, uint64_t value)
{
	if (!strcmp(option->name, "strsize"))
		return value >= 2 && value <= (1 << 20);
	if (!strcmp(option->name, "nspec"))
		return value <= D_SPECULATIONS_MAX;
	/* Registers of the in-kernel D machine. vmtap has none, but scripts may set the option. */
	if (!strcmp(option->name, "iregs"))
		return value >= 1 && value <= 8;
	if (!strcmp(option->name, "tregs") || !strcmp(option->name, "tree"))
		return value >= 1;
	return true;
}

/* Appends prefix and text as one word. */
static const char *add_text(struct d_option_texts *texts, const char *prefix, const char *text)
{
	if (array_room(&texts->items, &texts->room, texts->count, sizeof(*texts->items)) ||
		asprintf(&texts->items[texts->count], "%s%s", prefix, text) < 0)
		return no_memory;
	texts->count++;
	return NULL;
}

/* cppargs: several words, with white space between them. */
static const char *add_words(struct d_option_texts *texts, const char *words)
{
	static const char space[] = " \t\n\v\f\r";
	const char *wrong = NULL;

	for (words += strspn(words, space); *words && !wrong; words += strspn(words, space)) {
		size_t length = strcspn(words, space);
		char *word = strndup(words, length);
		wrong = word ? add_text(texts, "", word) : no_memory;
		free(word);
		words += length;
	}
	return wrong;
}

/* stdc: one of dtrace's letters for what the preprocessor defines __STDC__ as. */
static const char *add_standard(struct d_option_texts *arguments, const char *letter)
{
	static const struct {
		const char *letter, *argument;
	} standards[] = {
		{"a", "-D__STDC__=0"}, {"c", NULL}, {"s", "-U__STDC__"}, {"t", "-D__STDC__=0"}};
	const char *wrong;

	for (size_t i = 0; i < sizeof(standards) / sizeof(standards[0]); i++) {
		if (strcmp(letter, standards[i].letter) != 0)
			continue;
		/*
		 * __STDC__ is 1 by default, and only -w stops the preprocessor's warning about a
		 * redefinition.
		 */
		if (!standards[i].argument)
			return NULL;
		wrong = add_text(arguments, "", "-w");
		return wrong ? wrong : add_text(arguments, "", standards[i].argument);
	}
	return invalid_value;
}

static const char *set_path(char **path, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return no_memory;
	free(*path);
	*path = copy;
	return NULL;
}

static const char *set_minimum(struct d_compile_options *compile_options, const char *value)
{
	if (!stability_parse(value, strlen(value), &compile_options->amin))
		return invalid_value;
	compile_options->has_amin = true;
	return NULL;
}

static const char *set_version(uint32_t *version, const char *value)
{
	if (!d_version_parse(value, version))
		return "Version is not properly formatted or is too large";
	return *version > D_VERSION_CURRENT ? "Requested version is not supported by compiler"
					    : NULL;
}

/* Sets a member of struct d_options. */
static void store(const struct option *option, struct d_options *options, bool set, uint64_t value)
{
	void *at = (char *)options + option->offset;

	switch (option->place) {
	case OPTION_BOOL:
		*(bool *)at = set;
		break;
	case OPTION_INT:
		/* Without a value the option goes back to its default. */
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
	case OPTION_FORM:
		*(enum d_output_form *)at = (enum d_output_form)value;
		break;
	case OPTION_SAMPLING:
		*(struct d_sampling *)at = value & SAMPLING_BYTES
			? (struct d_sampling){.bytes = value & ~SAMPLING_BYTES}
			: (struct d_sampling){.period = value & ~SAMPLING_ELAPSED,
				  .is_elapsed = value & SAMPLING_ELAPSED};
		break;
	case OPTION_POLICY:
		*(enum d_buffer_policy *)at = (enum d_buffer_policy)value;
		break;
	default:
		break;
	}
}

const char *d_option_set(struct d_options *options, struct d_compile_options *compile_options,
	const char *name, const char *value, bool in_program)
{
	const struct option *option = find_option(name);
	uint64_t number;
	bool set;

	if (!option)
		return invalid_name;
	if (option->command_line_only && in_program)
		return "Option cannot be used from within a D program";
	if (!parse(option, value, &set, &number) || !in_range(option, number))
		return invalid_value;
	switch (option->place) {
	case NOWHERE:
		return NULL;
	case COMPILE_FLAG:
		*(bool *)((char *)compile_options + option->offset) = set;
		return NULL;
	case MINIMUM:
		return set_minimum(compile_options, value);
	case VERSION:
		return set_version(&compile_options->version, value);
	case DIRECTORY: /* libraries are read before a program */
		return in_program ? NULL : add_text(&compile_options->libdir, "", value);
	case CPP_PATH:
		return set_path(&compile_options->cpppath, value);
	case CPP_ARGUMENT:
		return add_text(
			&compile_options->cpp_arguments, option->prefix, value ? value : "");
	case CPP_ARGUMENTS:
		return add_words(&compile_options->cpp_arguments, value);
	case CPP_STANDARD:
		return add_standard(&compile_options->cpp_arguments, value);
	case ANONYMOUS:
		return set ? "There is no anonymous tracing to grab" : NULL;
	default:
		store(option, options, set, number);
		return NULL;
	}
}

const char *d_option_set_running(struct d_options *options, const char *name, const char *value)
{
	const struct option *option = find_option(name);
	uint64_t number;
	bool set;

	if (!option)
		return invalid_name;
	if (!parse(option, value, &set, &number) || !in_range(option, number))
		return invalid_value;
	if (is_compile_time(option))
		return NULL;
	if (!is_dynamic(option))
		return "Operation illegal when tracing is active";
	store(option, options, set, number);
	return NULL;
}

const char *d_option_similar(const char *name, char text[D_OPTION_SIMILAR_MAX])
{
	struct suggestion suggestion;

	suggestion_init(&suggestion, find_option(name) ? "" : name);
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		suggestion_offer(&suggestion, options[i].name);
	return suggestion_text(&suggestion, text, D_OPTION_SIMILAR_MAX);
}
