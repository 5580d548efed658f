/*
 * target_bytes.c: see target_bytes.h. The command or process is a target like others (targets.h);
 * only its stream is not decoded.
 */
#include "targets/target_bytes.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/connection.h"
#include "targets/find/connect.h"
#include "targets/find/endpoint.h"
#include "targets/find/vm_finder.h"
#include "targets/find/vm_name.h"
#include "targets/find/vm_stream.h"
#include "targets/program_hope.h"
#include "targets/target_kinds.h"
#include "targets/targets.h"
#include "wire/wire.h"

enum {
	COMMAND_MS = 10000, /* for a command to serve its event stream */
	RUNTIME_MS = 1000   /* for a VM to say what it is */
};

struct target_bytes {
	struct targets targets;
	struct connection connection;
};

/* Returns how long to wait for something, in ms, at most `most`. */
static int time_left(const struct target_bytes_patience *patience, int most)
{
	const uint64_t now = clock_monotonic();
	const uint64_t left = patience->until > now ? (patience->until - now) / CLOCK_NS_PER_MS : 0;

	return patience->until && left < (uint64_t)most ? (int)left : most;
}

/* Connects to a VM that has been found if it has the name. Returns -ENOENT if it has another one,
 * or does not serve yet. */
static int connect_named(struct target_bytes *bytes, const char *name, uint32_t pid)
{
	struct process_info process;
	struct error ignored;
	char runtime[128];
	int result;

	if (process_info_read(pid, &process, &ignored) || process.exited || process.stopped)
		return -ENOENT;
	if (!vm_name_is_process(name, &process) &&
		(vm_stream_runtime(pid, RUNTIME_MS, runtime, sizeof(runtime), &ignored) ||
			!vm_name_is_runtime(name, runtime)))
		return -ENOENT;
	result = connect_process(&bytes->connection, pid, NULL, CONNECT_HURRY, &ignored);
	if (result)
		connection_close(&bytes->connection);
	return result;
}

/* Waits for the first VM of a name, and connects. */
static int await_named(struct target_bytes *bytes, const struct target_bytes_patience *patience,
	struct error *error)
{
	const char *name = bytes->targets.spec->name;
	struct vm_finder *finder;
	bool is_found = false, is_told = !patience->waiting;
	int result = vm_finder_new(&finder, error);
	uint32_t pid;

	while (!result && !is_found) {
		struct pollfd wait = {.fd = vm_finder_descriptor(finder), .events = POLLIN};

		while (!is_found && vm_finder_next(finder, &pid)) {
			is_found = !connect_named(bytes, name, pid);
			if (!is_found && !vm_finder_retry(finder, pid))
				vm_finder_later(finder, pid);
		}
		if (is_found)
			break;
		if (!is_told)
			patience->waiting(name);
		is_told = true;
		if (!time_left(patience, INT_MAX))
			result = error_set(error, ETIMEDOUT,
				"no VM of the name '%s' has served an event stream in that time",
				name);
		else
			poll(&wait, 1, patience->until ? time_left(patience, INT_MAX) : -1);
	}
	vm_finder_free(finder);
	return result;
}

/* Starts the target's program if it is a command, and connects. */
static int connect_target(struct target_bytes *bytes, const struct target_bytes_patience *patience,
	struct error *error)
{
	struct target *target = &bytes->targets.items[0];
	const bool is_command = target_is_started(target);
	const bool may_serve = is_command && program_may_serve(target->command.words[0]);
	int result = 0;

	if (is_command)
		result =
			target_process_create(&target->process, target->command.words, NULL, error);
	if (!result && is_command)
		result = target_process_start(
			&target->process, target->command.words, CHILD_WAIT_ITSELF, error);
	if (!result)
		result = connect_process(&bytes->connection, target->process.pid, target->socket,
			is_command ? time_left(patience, may_serve ? COMMAND_MS : PROGRAM_END_MS)
				   : 0,
			error);
	connection_path(&bytes->connection, target->path);
	if (!result)
		target_process_found(&target->process, bytes->connection.process.pid);
	return result;
}

int target_bytes_open(const struct target_spec *spec, const struct target_bytes_patience *patience,
	struct target_bytes **opened, struct error *error)
{
	const struct target_reports silent = {.message = NULL};
	struct target_bytes *bytes = calloc(1, sizeof(*bytes));
	int result;

	*opened = NULL;
	if (!bytes)
		return error_set(error, ENOMEM, "out of memory");
	bytes->connection.fd = -1;
	result = targets_init(&bytes->targets, spec, &silent);
	if (result || bytes->targets.count + (spec->name != NULL) != 1)
		result = error_set(error, result ? ENOMEM : EINVAL, "%s",
			result ? "out of memory" : "one target is needed");
	else
		result = spec->name ? await_named(bytes, patience, error)
				    : connect_target(bytes, patience, error);
	if (result)
		target_bytes_close(bytes);
	else
		*opened = bytes;
	return result;
}

const struct process_info *target_bytes_process(const struct target_bytes *bytes)
{
	return &bytes->connection.process;
}

int target_bytes_request(struct target_bytes *bytes, const struct target_bytes_wish *wishes,
	size_t count, unsigned flags)
{
	struct connection_entry *entries = calloc(count + 1, sizeof(*entries));
	int result;

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		entries[i] = (struct connection_entry){.name = wishes[i].name,
			.type = wishes[i].type,
			.strings = CONNECTION_ALL_STRINGS};
	result = connection_subscribe(&bytes->connection, entries, count, flags);
	if (!result)
		targets_enabled(&bytes->targets);
	free(entries);
	return result;
}

void target_bytes_send(struct target_bytes *bytes, const void *frame, size_t size)
{
	connection_send(&bytes->connection, frame, size);
}

void target_bytes_finish(struct target_bytes *bytes)
{
	connection_subscribe(&bytes->connection, NULL, 0, WIRE_FINISH);
}

ssize_t target_bytes_receive(struct target_bytes *bytes, void *place, size_t room, int timeout_ms)
{
	return connection_receive(&bytes->connection, place, room, timeout_ms);
}

int target_bytes_descriptor(const struct target_bytes *bytes)
{
	return bytes->connection.fd;
}

bool target_bytes_is_stopped(const struct target_bytes *bytes, int64_t since, struct error *error)
{
	return connection_is_stopped(&bytes->connection, since, error);
}

bool target_bytes_has_further(const struct target_bytes *bytes, char own[TARGET_BYTES_PATH_MAX],
	char other[TARGET_BYTES_PATH_MAX])
{
	char paths[ENDPOINT_FURTHER_MAX][ENDPOINT_PATH_MAX];

	_Static_assert((int)TARGET_BYTES_PATH_MAX >= (int)CONNECTION_PATH_MAX &&
			(int)TARGET_BYTES_PATH_MAX >= (int)ENDPOINT_PATH_MAX,
		"paths of sockets fit");
	connection_path(&bytes->connection, own);
	if (!endpoint_further(&bytes->connection.process, own, paths))
		return false;
	strcpy(other, paths[0]);
	return true;
}

void target_bytes_close(struct target_bytes *bytes)
{
	if (!bytes)
		return;
	connection_close(&bytes->connection);
	targets_close(&bytes->targets);
	free(bytes);
}
