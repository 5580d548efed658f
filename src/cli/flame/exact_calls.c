/*
 * exact_calls.c: see exact_calls.h. Threads are numbered in the order in which they appear;
 * stacks.h knows them by these numbers. A thread of the system that has ended fires no probe that
 * says so, so each tick looks which ones exist.
 */
#include "cli/flame/exact_calls.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/hash_table.h"
#include "cli/cli.h"
#include "cli/scripts.h"
#include "engine/store/value.h"
#include "program/program.h"
#include "targets/target_kernel_facts.h"
#include "targets/target_spec.h"
#include "usdt/process/call_probes.h"
#include "usdt/process/process_info.h"

enum { WAIT_S = 3 };

/* The values of a line of the script. */
enum exact_value {
	VALUE_TIME,
	VALUE_PID,
	VALUE_TID,
	VALUE_THREAD,
	VALUE_KIND, /* "->", "<-", "=>", "<="; of the lines that are added "tick" and "process" */
	VALUE_NAME, /* of the method; of the process */
	VALUES
};

struct exact_thread {
	uint64_t pid, thread;
	uint32_t tid; /* the last one that it has run on */
	bool has_ended;
	uint64_t gone; /* when it was found to have ended, CLOCK_MONOTONIC, ns; 0: not yet */
};

struct exact_calls {
	struct call_tree *tree;
	struct stacks *stacks;
	enum exact_calls_nodes nodes;
	struct exact_thread *threads; /* by the number that stacks know */
	size_t thread_count, thread_room;
	struct hash_table thread_table; /* by pid and thread */
	struct exact_process *processes;
	size_t process_count, process_room;
	uint64_t calls;
	uint64_t blind; /* events of before may miss others, and are left out */
	bool has_failed;
	uint64_t begun; /* when it was first asked whether there are calls; 0: not yet */
	bool has_waited;
};

/* Writes the script, with probes of any of the targets if there may be several. */
static void write_script(FILE *file, const struct bundled_script *script, bool is_of_any)
{
	static const char target[] = "$target:::";
	const char *at = script->text, *end = at + script->length, *next;

	while (is_of_any && (next = memmem(at, (size_t)(end - at), target, strlen(target)))) {
		fprintf(file, "%.*s%s:::", (int)(next - at), at,
			next > at && next[-1] == '*' ? "" : "*");
		at = next + strlen(target);
	}
	fprintf(file, "%.*s\n", (int)(end - at), at);
}

char *exact_calls_script(const struct target_spec *spec)
{
	const struct bundled_script *script = scripts_find("call_log");
	const bool is_of_any = spec->count != 1 || spec->follows;
	char *text = NULL;
	size_t size;
	const char *of = is_of_any ? "" : "$target";
	FILE *file = script ? open_memstream(&text, &size) : NULL;

	if (!file)
		return NULL;
	/* The name is taken with a thread's first call (method- or function-entry and -return),
	 * because the process may have ended when its calls are read. */
	fprintf(file,
		"*%s:::[mf]*[dn]-entry,\n*%s:::[mf]*[dn]-return\n/!self->named/\n{\n"
		"\tself->named = 1;\n"
		"\tprintf(\"%%d %%d %%d %%d %%s %%s\\n\", timestamp, pid, tid, tid, \"process\", "
		"execname);\n}\n",
		of, of);
	write_script(file, script, is_of_any);
	/* losses are to be known soon: until then, stacks may lack calls */
	fprintf(file,
		"#pragma D option statusrate=50ms\n"
		"tick-200ms,\nEND\n{\n\tprintf(\"%%d %%d %%d %%d %%s %%s\\n\", timestamp, 0, 0, 0, "
		"\"tick\", \"\");\n}\n");
	if (fclose(file)) {
		free(text);
		return NULL;
	}
	return text;
}

/* Says it if the process can be seen not to fire its probes of calls. works: the command that does.
 */
static void foresee(uint32_t pid, const char *name, const char *provider, const char *works)
{
	const char *entry = call_probes_entry(provider);
	bool is_seen;
	const char *reason = target_kernel_silence(pid, provider, entry, &is_seen);

	if (is_seen)
		cli_message("process %" PRIu32
			    " (%s): %s:::%s: %s, which does not seem to be so; without "
			    "--exact, %s",
			pid, name, provider, entry, reason, works);
}

void exact_calls_remind(const struct target_spec *spec)
{
	cli_message("there has been no call for %d seconds", WAIT_S);
	for (size_t i = 0; i < spec->count; i++) {
		const struct target_item *item = &spec->items[i];
		const char *provider =
			item->kind == TARGET_PID ? call_probes_of_process(item->pid) : NULL;
		const char *entry = provider ? call_probes_entry(provider) : NULL;
		bool is_seen = false;
		const char *reason = provider
			? target_kernel_silence(item->pid, provider, entry, &is_seen)
			: NULL;

		if (reason && !is_seen) /* what is seen has been said at the beginning */
			cli_message("process %" PRIu32 ": %s:::%s: %s", item->pid, provider, entry,
				reason);
	}
}

bool exact_calls_waits(struct exact_calls *exact)
{
	const uint64_t now = clock_monotonic();

	if (exact->thread_count || exact->has_waited)
		return false;
	exact->begun = exact->begun ? exact->begun : now;
	exact->has_waited = now - exact->begun >= WAIT_S * CLOCK_NS_PER_S;
	return exact->has_waited;
}

bool exact_calls_refused(const struct target_spec *spec, const char *verb, const char *output)
{
	const char *provider;
	char works[400];
	struct process_info process;
	struct error ignored;

	for (size_t i = 0; i < spec->count && !spec->follows; i++) {
		const struct target_item *item = &spec->items[i];

		if (item->kind != TARGET_PID || process_info_read(item->pid, &process, &ignored))
			continue;
		snprintf(works, sizeof(works),
			"'vmtap %s -p %" PRIu32 "%s%.300s' shows where its time goes, by samples",
			verb, item->pid, output ? " -o " : "", output ? output : "");
		provider = call_probes_of_process(item->pid);
		if (provider) {
			foresee(item->pid, process.name, provider, works);
			continue;
		}
		cli_message("process %" PRIu32 " (%s) has no probes of its calls; %s", item->pid,
			process.name, works);
		return true;
	}
	return false;
}

struct exact_calls *exact_calls_new(
	struct call_tree *tree, enum stacks_measure measure, enum exact_calls_nodes nodes)
{
	struct exact_calls *exact = calloc(1, sizeof(*exact));

	if (!exact)
		return NULL;
	exact->tree = tree;
	exact->nodes = nodes;
	exact->stacks = stacks_new(tree, measure, 0);
	if (!exact->stacks) {
		free(exact);
		return NULL;
	}
	return exact;
}

void exact_calls_free(struct exact_calls *exact)
{
	if (!exact)
		return;
	stacks_free(exact->stacks);
	free(exact->threads);
	hash_table_free(&exact->thread_table);
	free(exact->processes);
	free(exact);
}

/* ---- processes and threads ---- */

/* Returns a process, which is added with its name; NULL: out of memory. */
static struct exact_process *process_of(
	struct exact_calls *exact, uint64_t pid, const struct text *called)
{
	struct exact_process *process;
	char text[96];
	uint32_t name;

	for (size_t i = exact->process_count; i-- > 0;)
		if (exact->processes[i].pid == pid)
			return &exact->processes[i];
	if (array_room(&exact->processes, &exact->process_room, exact->process_count,
		    sizeof(*process)))
		return NULL;
	process = &exact->processes[exact->process_count];
	*process = (struct exact_process){.pid = pid};
	snprintf(process->name, sizeof(process->name), "%.*s", called ? (int)called->length : 0,
		called ? called->bytes : "");
	if (exact->nodes != EXACT_CALLS_ONE) {
		if (exact->nodes == EXACT_CALLS_NAMED)
			snprintf(text, sizeof(text), "%s (%" PRIu64 ")", process->name, pid);
		else
			snprintf(text, sizeof(text), "%" PRIu64, pid);
		name = call_tree_name(exact->tree, text, strlen(text));
		if (!name)
			return NULL;
		process->node = call_tree_child(exact->tree, 0, name);
		if (process->node == UINT32_MAX) /* the tree is full */
			process->node = 0;
	}
	exact->process_count++;
	return process;
}

static bool is_thread(const void *threads, uint32_t index, const void *key)
{
	const struct exact_thread *thread = &((const struct exact_thread *)threads)[index];
	const struct exact_thread *wanted = key;

	return thread->pid == wanted->pid && thread->thread == wanted->thread;
}

/* Returns the number of the line's thread, which is added; UINT32_MAX: out of memory. */
static uint32_t thread_of(struct exact_calls *exact, const uint64_t *values, bool is_first)
{
	const struct exact_thread wanted = {.pid = values[VALUE_PID],
		.thread = values[VALUE_THREAD],
		.tid = (uint32_t)values[VALUE_TID]};
	uint32_t hash = hash_table_number(wanted.pid << 32 ^ wanted.thread);
	uint32_t number =
		hash_table_find(&exact->thread_table, hash, is_thread, exact->threads, &wanted);
	bool begins = number == HASH_TABLE_NONE || exact->threads[number].has_ended;
	struct exact_process *process;

	if (number == HASH_TABLE_NONE) {
		number = (uint32_t)exact->thread_count;
		if (array_room(&exact->threads, &exact->thread_room, number,
			    sizeof(*exact->threads)) ||
			hash_table_add(&exact->thread_table, hash, number))
			return UINT32_MAX;
		exact->thread_count++;
	}
	exact->threads[number] = wanted;
	/* The system gives the number of an ended thread to a new one. */
	if (!begins && !(is_first && wanted.thread == wanted.tid))
		return number;
	process = process_of(exact, wanted.pid, NULL);
	if (!process ||
		!stacks_begin_thread(exact->stacks, number, values[VALUE_TIME], process->node))
		return UINT32_MAX;
	if (begins)
		process->threads++;
	return number;
}

/* Whether a thread still exists. Guest threads that are not threads of the system exist as long as
 * their process. */
static bool exists(const struct exact_thread *thread)
{
	char path[64];

	if (thread->thread == thread->tid)
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/task/%" PRIu32, thread->pid,
			thread->tid);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu64 "/exe", thread->pid);
	return !access(path, F_OK);
}

/* Ends the stacks of threads that have ended. Their last events are older than the moment at which
 * that is noticed, but may come after this tick: they have all come at a tick of after that moment.
 */
static void take_tick(struct exact_calls *exact, uint64_t time)
{
	for (uint32_t i = 0; i < exact->thread_count; i++) {
		struct exact_thread *thread = &exact->threads[i];
		struct exact_process *process;

		if (thread->has_ended || (!thread->gone && exists(thread)))
			continue;
		if (!thread->gone) {
			thread->gone = clock_monotonic();
			stacks_hold_thread(exact->stacks, i);
		}
		if (time <= thread->gone)
			continue;
		thread->has_ended = true;
		stacks_end_thread(exact->stacks, i);
		process = process_of(exact, thread->pid, NULL);
		if (process)
			process->threads--;
	}
	stacks_spend(exact->stacks, time);
}

/* ---- lines ---- */

static bool is_line(const struct d_action *action)
{
	return action->argument_count == VALUES &&
		action->types[VALUE_KIND].kind == D_VALUE_STRING &&
		action->types[VALUE_NAME].kind == D_VALUE_STRING &&
		!d_value_is_text(action->types[VALUE_TIME].kind);
}

static bool is_kind(const struct text *kind, const char *word)
{
	return kind && kind->length == strlen(word) && !memcmp(kind->bytes, word, kind->length);
}

bool exact_calls_take(
	struct exact_calls *exact, const struct d_action *action, const uint64_t *values)
{
	const struct text *kind, *name;
	uint32_t thread, number;

	if (!is_line(action) || exact->has_failed)
		return !exact->has_failed;
	kind = value_text(values[VALUE_KIND]);
	name = value_text(values[VALUE_NAME]);
	if (exact->blind && values[VALUE_TIME] >= exact->blind) {
		stacks_lose(exact->stacks);
		exact->blind = 0;
	}
	if (is_kind(kind, "tick")) {
		take_tick(exact, values[VALUE_TIME]);
		return true;
	}
	if (is_kind(kind, "process")) {
		exact->has_failed = !process_of(exact, values[VALUE_PID], name);
		return !exact->has_failed;
	}
	if (!kind || kind->length != 2 || !name || exact->blind)
		return true;
	thread = thread_of(exact, values, memchr(kind->bytes, '=', kind->length));
	number = call_tree_name(exact->tree, name->bytes, name->length);
	exact->calls += kind->bytes[1] == '>';
	exact->has_failed = thread == UINT32_MAX || !number ||
		!stacks_call(
			exact->stacks, thread, values[VALUE_TIME], number, kind->bytes[1] == '>');
	return !exact->has_failed;
}

void exact_calls_lose(struct exact_calls *exact)
{
	stacks_lose(exact->stacks);
	exact->blind = clock_monotonic();
}

/* ---- what has been found ---- */

uint64_t exact_calls_pid(const struct exact_calls *exact, uint32_t node)
{
	const struct call_node *nodes = exact->tree->nodes;

	while (node && nodes[node].parent)
		node = nodes[node].parent;
	for (size_t i = 0; i < exact->process_count && node; i++)
		if (exact->processes[i].node == node)
			return exact->processes[i].pid;
	return 0;
}

const struct exact_process *exact_calls_processes(const struct exact_calls *exact, size_t *count)
{
	*count = exact->process_count;
	return exact->processes;
}

void exact_calls_count(struct exact_calls *exact)
{
	stacks_count_entries(exact->stacks);
}

uint64_t exact_calls_counted(struct exact_calls *exact, uint32_t node)
{
	return stacks_take_entries(exact->stacks, node);
}

uint64_t exact_calls_total(const struct exact_calls *exact)
{
	return exact->calls;
}

const struct call_cost *exact_calls_cost(const struct exact_calls *exact)
{
	return stacks_cost(exact->stacks);
}
