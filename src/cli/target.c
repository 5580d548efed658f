/* target.c: see target.h. */
#include "cli/target.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/cli.h"
#include "source/merge.h"

enum { CHILD_WAIT_MS = 10000 /* for a command to serve its event stream */ };

int target_add(struct targets *targets, const struct target *target)
{
	struct target *grown =
		realloc(targets->items, (targets->count + 1) * sizeof(*targets->items));

	if (!grown)
		return -ENOMEM;
	targets->items = grown;
	grown[targets->count] = *target;
	grown[targets->count++].child.descriptor = -1;
	return 0;
}

static int open_one(struct target *target, struct d_probe_set *set, struct source **source,
	struct error *error)
{
	int result = 0;

	if (target->command) {
		result = child_start(&target->child, target->command, error);
		target->pid = (uint32_t)target->child.pid;
	}
	if (!result)
		result = source_stream_open(target->pid, target->socket,
			target->command ? CHILD_WAIT_MS : 0, set, source, error);
	if (!result)
		target->pid = (*source)->process.pid;
	return result;
}

int target_open(struct targets *targets, struct d_probe_set *set, struct error *error)
{
	struct merge_part *parts;
	size_t opened = 0;
	int result = 0;

	if (targets->log)
		return source_log_open(targets->log, set, &targets->source, error);
	if (targets->count == 1)
		return open_one(&targets->items[0], set, &targets->source, error);
	if (!targets->count)
		return 0;
	parts = calloc(targets->count, sizeof(*parts));
	if (!parts)
		return error_set(error, ENOMEM, "out of memory");
	while (opened < targets->count && !result) {
		struct merge_part *part = &parts[opened];
		part->first = (uint32_t)set->count;
		result = open_one(&targets->items[opened], set, &part->source, error);
		part->end = (uint32_t)set->count;
		opened += !result;
	}
	if (!result)
		result = source_merge_new(parts, opened, &targets->source, error);
	for (size_t i = 0; i < opened && result; i++)
		source_close(parts[i].source);
	free(parts);
	return result;
}

bool target_commands_ended(struct targets *targets)
{
	bool ended = true;

	for (size_t i = 0; i < targets->count; i++)
		ended &= !targets->items[i].child.pid || child_poll(&targets->items[i].child);
	return ended;
}

const struct child *target_running(const struct targets *targets)
{
	for (size_t i = 0; i < targets->count; i++)
		if (targets->items[i].child.pid && !targets->items[i].child.ended)
			return &targets->items[i].child;
	return NULL;
}

static void tell_end(const struct target *target, enum source_state state,
	const struct error *reason, bool quiet)
{
	const struct child *child = &target->child;
	const char *name;

	if (state == SOURCE_BROKEN && (!child->pid || (!child->ended && !quiet)))
		cli_message("%s", reason->text);
	if (quiet)
		return;
	if (!child->pid && state == SOURCE_ENDED) {
		fprintf(stderr, "dtrace: pid %u has ended its event stream\n",
			(unsigned int)target->pid);
	} else if (child->ended && WIFSIGNALED(child->status)) {
		name = sigabbrev_np(WTERMSIG(child->status));
		fprintf(stderr, "dtrace: pid %d terminated by SIG%s\n", (int)child->pid,
			name ? name : "?");
	} else if (child->ended) {
		fprintf(stderr, "dtrace: pid %d has exited\n", (int)child->pid);
	}
}

void target_tell_ends(struct targets *targets, enum source_state state,
	const struct error *reason, bool quiet)
{
	bool going_on = state == SOURCE_MORE;

	if (targets->log && state == SOURCE_BROKEN)
		cli_message("%s", reason->text);
	for (size_t i = 0; i < targets->count; i++) {
		struct target *target = &targets->items[i];
		enum source_state own = state;
		const struct error *own_reason = reason;
		bool ended = !going_on;

		if (target->told)
			continue;
		if (targets->count > 1)
			ended = source_merge_ended(targets->source, i, &own, &own_reason);
		/* A command may live on a little without its stream. */
		if (!ended || (target->child.pid && !child_poll(&target->child) && going_on))
			continue;
		tell_end(target, own, own_reason, quiet);
		target->told = true;
	}
}

void target_close(struct targets *targets)
{
	source_close(targets->source);
	for (size_t i = 0; i < targets->count; i++)
		child_end(&targets->items[i].child);
	free(targets->items);
	*targets = (struct targets){ 0 };
}
