/*
 * target_spec.c: see target_spec.h. Two tables list the targets that each verb takes, and the kinds
 * that conflict, each with its text; a new conflict is a row.
 */
#include "targets/target_spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#define LIVE (TARGET_PID | TARGET_COMMAND | TARGET_SOCKET | TARGET_NAME | TARGET_FAMILY)

/*
 * Kinds of target that each verb takes. `list` has targets only with -s, where it is a trace that
 * lists its probes. `check`, `diff` and `log` have no specification: they read what files, and the
 * files of a process, hold (cli/probes.h), or have a command write logs (cli/check/check_live.h);
 * `ps` lists sockets (targets/find/vm_list.h).
 */
static const struct {
	const char *verb;
	unsigned kinds;
} verbs[] = {
	{"trace", LIVE | TARGET_LOG | TARGET_ALL},
	{"list", LIVE | TARGET_LOG | TARGET_ALL},
	{"top", LIVE | TARGET_ALL},
	{"serve", LIVE | TARGET_LOG | TARGET_ALL},
	{"dump", TARGET_PID | TARGET_SOCKET | TARGET_FAMILY},
	{"record", LIVE},
	{"flame", LIVE | TARGET_LOG | TARGET_ALL},
	{"heap", TARGET_PID | TARGET_COMMAND | TARGET_SOCKET | TARGET_NAME | TARGET_LOG},
	{"export", TARGET_LOG},
};

/* Names of the kinds in messages. */
static const struct {
	enum target_kind kind;
	const char *name;
} names[] = {
	{TARGET_PID, "a PID"},
	{TARGET_COMMAND, "a command"},
	{TARGET_SOCKET, "a socket"},
	{TARGET_LOG, "a LOG"},
	{TARGET_NAME, "a name"},
	{TARGET_FAMILY, "--follow"},
	{TARGET_ALL, "every VM"},
};

enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

/* A bit beside those of the kinds: --via=kernel is given. */
#define VIA_KERNEL (1u << 16)

#define ONE_BY_ONE (TARGET_PID | TARGET_COMMAND | TARGET_SOCKET)

/*
 * Conflicts: a specification must not have kinds of both `one` and `other`, nor a kind of `one`
 * with none of `needs`. The first row that applies is reported, so rows of a verb come first.
 */
static const struct conflict {
	const char *verb; /* only of this one; NULL: of each */
	unsigned one;
	unsigned other; /* 0: `one` by itself */
	unsigned needs; /* 0: nothing is needed */
	size_t least;   /* only if at least this many targets are given one by one */
	const char *text;
} conflicts[] = {
	{.verb = "dump", .one = TARGET_ALL, .text = "no process is named"},
	{.verb = "dump",
		.one = TARGET_NAME,
		.text = "--wait: dump shows what runs now: 'vmtap dump -p NAME' takes a process by "
			"its name"},
	{.verb = "dump",
		.one = TARGET_COMMAND,
		.text = "-c: dump shows what runs already: 'vmtap dump -p PID'"},
	{.verb = "dump",
		.one = TARGET_LOG,
		.text = "--log: dump shows what runs now: 'vmtap flame LOG -o FILE' draws a log"},
	{.verb = "heap", .one = TARGET_ALL, .text = "one PID or LOG is needed"},
	{.verb = "heap",
		.one = TARGET_FAMILY,
		.text = "--follow: a heap is that of one VM: 'vmtap ps' lists them, and 'vmtap "
			"heap "
			"-p PID' shows one"},
	{.verb = "heap",
		.one = ONE_BY_ONE,
		.least = 2,
		.text = "a heap is that of one VM: give one after the other, as in 'vmtap heap -p "
			"PID'"},
	{.verb = "record",
		.one = TARGET_ALL,
		.text = "one of -p, -c, --wait, --socket and -- COMMAND says what to record"},
	{.verb = "record",
		.one = TARGET_LOG,
		.text = "--log: record writes a log, which -o names; 'vmtap log FILE' shows one"},
	{.verb = "record",
		.one = TARGET_COMMAND,
		.other = TARGET_PID | TARGET_SOCKET,
		.text = "one of -p, -c, --wait, --socket and -- COMMAND says what to record"},
	{.verb = "record",
		.one = TARGET_SOCKET,
		.other = TARGET_PID,
		.text = "one of -p, -c, --wait, --socket and -- COMMAND says what to record"},
	{.verb = "record",
		.one = TARGET_COMMAND,
		.least = 2,
		.text = "-c is given twice: one command at a time"},
	{.verb = "record",
		.one = TARGET_SOCKET,
		.least = 2,
		.text = "--socket is given twice: one target at a time"},
	{.verb = "top",
		.one = TARGET_LOG,
		.text = "--log: a recording has ended; 'vmtap flame' and 'vmtap trace method_time' "
			"read it"},
	{.one = TARGET_LOG,
		.other = ONE_BY_ONE,
		.text = "a recording (--log) is traced alone, without -p, -c and --socket"},
	{.one = TARGET_NAME,
		.other = TARGET_FAMILY,
		.text = "only one of --wait NAME and --follow"},
	{.one = TARGET_NAME,
		.other = ONE_BY_ONE | TARGET_LOG,
		.text = "--wait NAME says what to trace, without -p, -c, --socket and --log"},
	{.one = TARGET_FAMILY,
		.other = TARGET_SOCKET,
		.text = "--follow follows what -c, -p or -- COMMAND gives"},
	{.one = TARGET_FAMILY,
		.needs = TARGET_PID | TARGET_COMMAND,
		.text = "--follow follows what -c, -p or -- COMMAND gives"},
	/* With -p, the socket could be meant as the one of that process. */
	{.one = TARGET_SOCKET,
		.least = 2,
		.text = "only one of -p, -c, --socket and --log: what --socket names is traced "
			"alone"},
	/* Whoever has only an event stream, or is found by one, gives the kernel nothing to trace.
	 */
	{.one = VIA_KERNEL,
		.other = TARGET_NAME,
		.text = "--wait NAME finds VMs by their event streams: not with --via=kernel"},
	{.one = VIA_KERNEL,
		.other = TARGET_SOCKET,
		.text = "--socket is where an event stream is served: not with --via=kernel"},
	{.one = VIA_KERNEL,
		.other = TARGET_LOG,
		.text = "a recording (--log) has the events that it has: not with --via=kernel"},
};

static int target_spec_add(struct target_spec *spec, struct target_item item)
{
	if (array_room(&spec->items, &spec->capacity, spec->count, sizeof(*spec->items)))
		return -ENOMEM;
	spec->items[spec->count++] = item;
	return 0;
}

int target_spec_add_pid(struct target_spec *spec, uint32_t pid)
{
	for (size_t i = 0; i < spec->count; i++)
		if (spec->items[i].kind == TARGET_PID && spec->items[i].pid == pid)
			return -EEXIST;
	return target_spec_add(spec, (struct target_item){.kind = TARGET_PID, .pid = pid});
}

int target_spec_add_command(struct target_spec *spec, struct command_words command)
{
	return target_spec_add(
		spec, (struct target_item){.kind = TARGET_COMMAND, .command = command});
}

int target_spec_add_socket(struct target_spec *spec, const char *socket)
{
	return target_spec_add(spec, (struct target_item){.kind = TARGET_SOCKET, .socket = socket});
}

bool target_spec_is_given(const struct target_spec *spec)
{
	return spec->count || spec->log || spec->name;
}

unsigned target_spec_kinds(const struct target_spec *spec)
{
	unsigned kinds = 0;

	for (size_t i = 0; i < spec->count; i++)
		kinds |= spec->items[i].kind;
	if (spec->log)
		kinds |= TARGET_LOG;
	if (spec->name)
		kinds |= TARGET_NAME;
	if (spec->follows)
		kinds |= TARGET_FAMILY;
	return kinds ? kinds : TARGET_ALL;
}

unsigned target_verb_kinds(const char *verb)
{
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		if (!strcmp(verbs[i].verb, verb))
			return verbs[i].kinds;
	return 0;
}

/* Reports what the verb takes instead. Returns a negative errno. */
static int target_spec_refuse(
	const char *verb, unsigned refused, unsigned taken, struct error *error)
{
	char text[128] = "";
	const char *what = "what is given";
	size_t length = 0;

	for (size_t i = 0; i < NAME_COUNT; i++)
		if (refused & names[i].kind)
			what = names[i].name;
	for (size_t i = 0; i < NAME_COUNT; i++)
		if (taken & names[i].kind && length < sizeof(text))
			length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s",
				length ? " or " : "", names[i].name);
	return error_set(error, EINVAL, "%s does not take %s yet: it takes %s", verb, what, text);
}

static bool applies(const struct conflict *conflict, const struct target_spec *spec,
	const char *verb, unsigned given)
{
	return (!conflict->verb || !strcmp(conflict->verb, verb)) && given & conflict->one &&
		(!conflict->other || given & conflict->other) &&
		(!conflict->needs || !(given & conflict->needs)) && spec->count >= conflict->least;
}

int target_spec_check(const struct target_spec *spec, const char *verb, struct error *error)
{
	const unsigned kinds = target_spec_kinds(spec), taken = target_verb_kinds(verb);
	const unsigned given = kinds | (spec->via == TARGET_VIA_KERNEL ? VIA_KERNEL : 0);

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (applies(&conflicts[i], spec, verb, given))
			return error_set(error, EINVAL, "%s", conflicts[i].text);
	return kinds & ~taken ? target_spec_refuse(verb, kinds & ~taken, taken, error) : 0;
}

void target_spec_free(struct target_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++)
		command_words_free(&spec->items[i].command);
	free(spec->items);
	*spec = (struct target_spec){.items = NULL};
}
