/*
 * target_streams.c: see target_streams.h. A VM that hangs or has no room for a connection serves a
 * stream all the same: only one without an endpoint does not.
 */
#include "targets/target_streams.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/source.h"
#include "targets/find/vm_stream.h"
#include "targets/program_hope.h"
#include "targets/target_kinds.h"
#include "targets/target_spec.h"

enum {
	START_MS = 1000, /* for a program with the runtime to serve its stream */
	TRY_MS = 10
};

/* A VM that has just been started serves a stream soon. */
int target_streams_process(const struct target_item *item, struct error *error)
{
	const uint64_t limit = clock_monotonic() + START_MS * CLOCK_NS_PER_MS;
	const uint32_t pid = item->pid;
	struct source *source;
	char file[32];
	int result;

	snprintf(file, sizeof(file), "/proc/%" PRIu32 "/exe", pid);
	result = vm_stream_start(pid, NULL, &source, error);
	if (result == -ENOENT && program_file_has_runtime(file))
		while (result == -ENOENT && clock_monotonic() < limit) {
			poll(NULL, 0, TRY_MS);
			result = vm_stream_start(pid, NULL, &source, error);
		}
	if (!result)
		source_close(source);
	if (result == -ESRCH || result == -EACCES)
		return result;
	return result != -ENOENT;
}

int target_streams_command(const struct target_item *item, struct error *error)
{
	(void)error;
	return program_has_runtime(item->command.words[0]);
}

int target_streams_look(
	const struct target_spec *spec, enum target_streams *streams, struct error *error)
{
	bool is_unknown = false;
	size_t with = 0, without = 0;

	*streams = TARGET_STREAMS_ALL;
	if (spec->via != TARGET_VIA_AUTO) {
		*streams =
			spec->via == TARGET_VIA_KERNEL ? TARGET_STREAMS_NONE : TARGET_STREAMS_ALL;
		return 0;
	}
	for (size_t i = 0; i < spec->count; i++) {
		const struct target_item *item = &spec->items[i];
		const struct target_kind_methods *kind = target_kind_methods(item->kind);
		int found = kind->streams(item, error);

		if (found < 0)
			return found;
		with += found;
		without += !found;
		is_unknown |= kind->is_started && !found;
	}
	if (is_unknown)
		*streams = TARGET_STREAMS_UNKNOWN;
	else if (without)
		*streams = with ? TARGET_STREAMS_SOME : TARGET_STREAMS_NONE;
	return 0;
}
