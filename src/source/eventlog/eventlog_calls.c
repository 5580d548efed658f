/*
 * eventlog_calls.c: the calls of a log that the kernel's probes of a process without an event
 * stream were recorded to. For readers of provider vm alone (cli/feed.h), probes of that provider
 * are derived from those of the runtimes that have probes of their calls. Scripts do not see them:
 * they read the runtimes' own probes (probes/scripts/parts/calls.d), as when they trace the
 * process.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/eventlog/eventlog_private.h"

enum {
	CALL_ARGUMENTS = 5, /* class, method, file, line, thread */
	CALL_TEXTS = 3,     /* the first ones are texts */
	CALL_LINE = 3,
	CALL_THREAD = 4,
	NONE = UINT8_MAX
};

/* What the name of the class is made of. */
enum call_class {
	CLASS_AS_IS,
	CLASS_OF_FILE, /* a file's name without its folders */
	CLASS_OF_JVM   /* java/lang/String, which people write with dots */
};

/* Which of the event's arguments is each of the derived probe's. The thread is that of the system.
 */
static const struct call_row {
	const char *provider, *name, *derived;
	uint8_t arguments[CALL_THREAD];
	enum call_class class;
} rows[] = {
	{"ruby", "method-entry", "method-entry", {0, 1, 2, 3}, CLASS_AS_IS},
	{"ruby", "method-return", "method-return", {0, 1, 2, 3}, CLASS_AS_IS},
	{"ruby", "cmethod-entry", "native-entry", {0, 1, 2, 3}, CLASS_AS_IS},
	{"ruby", "cmethod-return", "native-return", {0, 1, 2, 3}, CLASS_AS_IS},
	{"python", "function-entry", "method-entry", {0, 1, 0, 2}, CLASS_OF_FILE},
	{"python", "function-return", "method-return", {0, 1, 0, 2}, CLASS_OF_FILE},
	{"php", "function-entry", "method-entry", {3, 0, 1, 2}, CLASS_AS_IS},
	{"php", "function-return", "method-return", {3, 0, 1, 2}, CLASS_AS_IS},
	{"hotspot", "method-entry", "method-entry", {1, 3, NONE, NONE}, CLASS_OF_JVM},
	{"hotspot", "method-return", "method-return", {1, 3, NONE, NONE}, CLASS_OF_JVM},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool is_of_vm(const struct plan *plan, const char *name)
{
	return plan->description && !plan->is_siteless &&
		!strcmp(plan->description->provider, DESCRIBE_PROVIDER) &&
		!strcmp(plan->description->name, name);
}

/* Adds the derived probe to the set, unless another event fires it as well. Returns its index, or a
 * negative errno. */
static long add_derived(
	const struct eventlog *log, struct d_probe_set *set, const struct call_row *row)
{
	static const char *const names[CALL_ARGUMENTS] = {
		"class", "method", "file", "line", "thread"};
	char provider[32], empty[] = "", text[] = "char *", number[] = "int64_t";
	struct d_probe_argument arguments[CALL_ARGUMENTS];
	struct d_probe probe = {.kind = D_PROBE_SOURCE,
		.provider = provider,
		.module = empty,
		.function = empty,
		.name = (char *)(uintptr_t)row->derived,
		.argument_count = CALL_ARGUMENTS,
		.arguments = arguments};

	for (size_t i = 1; i < log->plan_count; i++)
		for (unsigned j = 0; j < log->plans[i].compat_count; j++) {
			const struct compat *compat = &log->plans[i].compats[j];

			if (compat->is_call && !strcmp(compat->description.name, row->derived))
				return (long)compat->probe;
		}
	snprintf(provider, sizeof(provider), DESCRIBE_PROVIDER "%" PRIu32, log->process.pid);
	for (unsigned i = 0; i < CALL_ARGUMENTS; i++)
		arguments[i] = (struct d_probe_argument){.type = i < CALL_TEXTS ? text : number,
			.name = (char *)(uintptr_t)names[i]};
	return d_probe_set_add(set, &probe);
}

static int derive(struct eventlog *log, struct plan *plan, const struct call_row *row,
	struct d_probe_set *set)
{
	struct compat compat = {.is_call = true, .rule = (uint8_t)(row - rows)};
	long index = add_derived(log, set, row);

	if (index < 0)
		return (int)index;
	compat.probe = (uint32_t)index;
	snprintf(compat.description.provider, sizeof(compat.description.provider),
		DESCRIBE_PROVIDER);
	snprintf(compat.description.name, sizeof(compat.description.name), "%s", row->derived);
	compat.description.argument_count = CALL_ARGUMENTS;
	compat.description.condition = UINT8_MAX;
	return eventlog_add_compat(log, plan, &compat, 0) ? 0 : -ENOMEM;
}

int eventlog_add_calls(struct eventlog *log, struct d_probe_set *set, bool *has_calls)
{
	int result = 0;

	*has_calls = false;
	for (size_t i = 1; i < log->plan_count; i++)
		if (is_of_vm(&log->plans[i], "method-entry"))
			return 0;
	for (size_t i = 1; i < log->plan_count && log->is_sampled_by_kernel; i++) {
		struct plan *plan = &log->plans[i];

		for (unsigned row = 0; row < ROWS && plan->description && !result; row++)
			if (!strcmp(plan->description->provider, rows[row].provider) &&
				!strcmp(plan->description->name, rows[row].name)) {
				result = derive(log, plan, &rows[row], set);
				*has_calls |= !result;
			}
	}
	return result;
}

/* ---- the merge ---- */

/* The text of a handle; NULL: it has none. */
static const struct text *text_at(const struct eventlog *log, uint64_t handle)
{
	const size_t index = (size_t)((handle & ~(EVENT_HANDLE | EVENT_HANDLE_TRANSIENT)) >>
		EVENT_HANDLE_OFFSET_BITS);

	return handle & EVENT_HANDLE_TRANSIENT ? log->transients[index] : log->names.texts[index];
}

/* The text with dots in place of slashes. Without memory for that it stays as it is. */
static uint64_t with_dots(struct eventlog *log, uint64_t handle)
{
	const struct text *text = text_at(log, handle);
	char bytes[512];
	uint32_t index;

	if (!text || text->length > sizeof(bytes) || !memchr(text->bytes, '/', text->length))
		return handle;
	for (uint32_t i = 0; i < text->length; i++)
		bytes[i] = (char)(text->bytes[i] == '/' ? '.' : text->bytes[i]);
	return names_add(&log->names, bytes, text->length, &index) ? handle
								   : event_handle(index, 0);
}

/* The handle of an argument that is a text, or the address of one. */
static uint64_t text_of(
	struct eventlog *log, const struct plan *plan, const uint64_t *given, uint8_t argument)
{
	const uint64_t empty = event_handle(names_index(&log->names, 0), 0);

	if (argument >= plan->probe_arguments)
		return empty;
	if (plan->description->arguments[argument].kind == DESCRIBE_NAME)
		return given[argument];
	return eventlog_memory_text(log, given[argument], empty);
}

/* The handle of what follows the last slash. */
static uint64_t base_name(const struct eventlog *log, uint64_t handle)
{
	const struct text *text = text_at(log, handle);
	const char *slash = text ? memrchr(text->bytes, '/', text->length) : NULL;

	return slash ? handle + (uint64_t)(slash + 1 - text->bytes) : handle;
}

void eventlog_take_call(struct eventlog *log, const struct plan *plan, const struct compat *compat,
	uint32_t tid, const uint64_t *given, uint64_t *arguments)
{
	const struct call_row *row = &rows[compat->rule];

	for (unsigned i = 0; i < CALL_TEXTS; i++)
		arguments[i] = text_of(log, plan, given, row->arguments[i]);
	if (row->class == CLASS_OF_FILE)
		arguments[0] = base_name(log, arguments[0]);
	else if (row->class == CLASS_OF_JVM)
		arguments[0] = with_dots(log, arguments[0]);
	arguments[CALL_LINE] = row->arguments[CALL_LINE] < plan->probe_arguments
		? given[row->arguments[CALL_LINE]]
		: 0;
	arguments[CALL_THREAD] = tid;
}
