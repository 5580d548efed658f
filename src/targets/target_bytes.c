/*
 * target_bytes.c: see target_bytes.h. The command or process is a target like others (targets.h);
 * only its stream is not decoded.
 */
#include "targets/target_bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/connection.h"
#include "targets/find/connect.h"
#include "targets/find/endpoint.h"
#include "targets/target_kinds.h"
#include "targets/targets.h"
#include "wire/wire.h"

enum { COMMAND_MS = 10000 /* for a command to serve its event stream */ };

struct target_bytes {
	struct targets targets;
	struct connection connection;
};

/* Starts the target's program if it is a command, and connects. */
static int connect_target(struct target_bytes *bytes, struct error *error)
{
	struct target *target = &bytes->targets.items[0];
	const bool is_command = target_is_started(target);
	int result = 0;

	if (is_command)
		result =
			target_process_create(&target->process, target->command.words, NULL, error);
	if (!result && is_command)
		result = target_process_start(
			&target->process, target->command.words, CHILD_WAIT_ITSELF, error);
	if (!result)
		result = connect_process(&bytes->connection, target->process.pid, target->socket,
			is_command ? COMMAND_MS : 0, error);
	connection_path(&bytes->connection, target->path);
	if (!result)
		target_process_found(&target->process, bytes->connection.process.pid);
	return result;
}

int target_bytes_open(
	const struct target_spec *spec, struct target_bytes **opened, struct error *error)
{
	const struct target_reports silent = {.message = NULL};
	struct target_bytes *bytes = calloc(1, sizeof(*bytes));
	int result;

	*opened = NULL;
	if (!bytes)
		return error_set(error, ENOMEM, "out of memory");
	bytes->connection.fd = -1;
	result = targets_init(&bytes->targets, spec, &silent);
	if (result || bytes->targets.count != 1)
		result = error_set(error, result ? ENOMEM : EINVAL, "%s",
			result ? "out of memory" : "one target is needed");
	else
		result = connect_target(bytes, error);
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
