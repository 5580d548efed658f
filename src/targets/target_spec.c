/*
 * target_spec.c: see target_spec.h. Two tables list the targets that each verb takes, and the kinds
 * that conflict; a new conflict is a row.
 */
#include "targets/target_spec.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"

#define LIVE (TARGET_PID | TARGET_COMMAND | TARGET_SOCKET | TARGET_NAME | TARGET_FAMILY)

/* Kinds of target that each verb takes. */
static const struct {
	const char *verb;
	unsigned kinds;
} verbs[] = {
	{"trace", LIVE | TARGET_LOG | TARGET_ALL},
	{"top", LIVE | TARGET_ALL},
	{"serve", LIVE | TARGET_LOG | TARGET_ALL},
	{"dump", TARGET_PID},
	{"record", TARGET_PID | TARGET_COMMAND | TARGET_SOCKET},
	{"flame", LIVE | TARGET_LOG},
	{"heap", TARGET_PID | TARGET_LOG},
	{"export", TARGET_LOG},
	{"ps", TARGET_ALL},
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
};

enum { NAME_COUNT = sizeof(names) / sizeof(names[0]) };

/* Conflicts: a specification must not have kinds of both `one` and `other`. */
static const struct {
	unsigned one, other;
	const char *text;
} conflicts[] = {
	{TARGET_LOG, TARGET_PID | TARGET_COMMAND | TARGET_SOCKET,
		"a recording (--log) is traced alone, without -p, -c and --socket"},
	{TARGET_NAME, TARGET_FAMILY, "only one of --wait NAME and --follow"},
	{TARGET_NAME, TARGET_PID | TARGET_COMMAND | TARGET_SOCKET | TARGET_LOG,
		"--wait NAME says what to trace, without -p, -c, --socket and --log"},
	{TARGET_FAMILY, TARGET_SOCKET, "--follow follows what -c, -p or -- COMMAND gives"},
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

int target_spec_check(const struct target_spec *spec, const char *verb, struct error *error)
{
	const unsigned kinds = target_spec_kinds(spec), taken = target_verb_kinds(verb);

	for (size_t i = 0; i < sizeof(conflicts) / sizeof(conflicts[0]); i++)
		if (kinds & conflicts[i].one && kinds & conflicts[i].other)
			return error_set(error, EINVAL, "%s", conflicts[i].text);
	if (spec->follows && !spec->count)
		return error_set(error, EINVAL, "--follow follows what -c, -p or -- COMMAND gives");
	/* With -p, the socket could be meant as the one of that process. */
	if (kinds & TARGET_SOCKET && spec->count > 1)
		return error_set(error, EINVAL,
			"only one of -p, -c, --socket and --log: what --socket names is traced "
			"alone");
	return kinds & ~taken ? target_spec_refuse(verb, kinds & ~taken, taken, error) : 0;
}

void target_spec_free(struct target_spec *spec)
{
	for (size_t i = 0; i < spec->count; i++)
		command_words_free(&spec->items[i].command);
	free(spec->items);
	*spec = (struct target_spec){.items = NULL};
}
