/*
 * target_kinds.c: see target_kinds.h. The table has a row for each kind; other files ask it and
 * compare no kinds.
 */
#include "targets/target_kinds.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/error.h"
#include "source/source.h"
#include "targets/target_command.h"
#include "targets/target_streams.h"
#include "targets/targets_private.h"
#include "usdt/process/process_info.h"

static int open_stream(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	return target_open_own_stream(targets, target, 0, set, source, error);
}

static int open_process(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	if (targets->spec->via == TARGET_VIA_KERNEL)
		return target_watch_process(targets, target, error);
	return open_stream(targets, target, set, source, error);
}

/* A runtime that cannot be connected to no longer serves; *source is NULL, too, if the socket is
 * another process's by now. */
static int open_runtime(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	uint32_t pid = target->process.pid;
	int result = target_open_stream(targets, pid, target->path, 0, set, source, error);

	if (!result && (*source)->process.pid != pid) {
		source_close(*source);
		*source = NULL;
	}
	return 0;
}

static int socket_streams(const struct target_item *item, struct error *error)
{
	(void)item;
	(void)error;
	return 1;
}

static bool process_title(const struct target_item *item, char *text, size_t size)
{
	struct process_info process;
	struct error ignored;

	if (process_info_read(item->pid, &process, &ignored))
		return false;
	snprintf(text, size, "%s (%" PRIu32 ")", process.name, item->pid);
	return true;
}

static bool command_title(const struct target_item *item, char *text, size_t size)
{
	size_t used = 0;

	for (char **word = item->command.words; *word && used < size; word++)
		used += (size_t)snprintf(text + used, size - used, "%s%s", used ? " " : "", *word);
	return true;
}

static bool socket_title(const struct target_item *item, char *text, size_t size)
{
	snprintf(text, size, "%s", item->socket);
	return true;
}

static const struct target_kind_methods rows[] = {
	{TARGET_PID, false, true, open_process, target_streams_process, process_title},
	{TARGET_COMMAND, true, true, target_start_command, target_streams_command, command_title},
	{TARGET_SOCKET, false, false, open_stream, socket_streams, socket_title},
	{TARGET_RUNTIME, false, false, open_runtime, NULL, NULL},
};

const struct target_kind_methods *target_kind_methods(enum target_kind kind)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].kind == kind)
			return &rows[i];
	return NULL;
}

bool target_is_started(const struct target *target)
{
	return target_kind_methods(target->kind)->is_started;
}

bool target_is_process(const struct target *target)
{
	return target_kind_methods(target->kind)->is_process;
}
