/*
 * target_stream.c: see targets_private.h. Opens the stream of one target. If streams are to give
 * samples, adds the probes profile-n to those that the VM declares.
 */
#include <errno.h>

#include "source/source.h"
#include "targets/find/vm_stream.h"
#include "targets/target_kinds.h"
#include "targets/targets_private.h"

/* Adds to a stream the probes profile-n if streams give them. */
static int add_samples(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error)
{
	return targets->samples_in_streams ? source_stream_add_samples(source, set, targets->asked,
						     targets->asked_count, error)
					   : 0;
}

int target_declare_stream(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error)
{
	int result = source_stream_declare(source, set, error);

	if (!result)
		result = add_samples(targets, source, set, error);
	if (result && result != -EAGAIN && result != -ETIMEDOUT)
		source_close(source);
	return result;
}

int target_open_stream(const struct targets *targets, uint32_t pid, const char *socket, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	int result = vm_stream_open(pid, socket, wait_ms, set, source, error);

	if (result)
		return result;
	result = add_samples(targets, *source, set, error);
	if (result) {
		source_close(*source);
		*source = NULL;
	}
	return result;
}

int target_open_own_stream(struct targets *targets, struct target *target, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error)
{
	int result = target_open_stream(
		targets, target->process.pid, target->socket, wait_ms, set, source, error);

	if (!result) {
		target_process_found(&target->process, (*source)->process.pid);
		source_stream_path(*source, target->path, sizeof(target->path));
	}
	if (target_is_process(target) &&
		(result == -ENOENT ||
			(target_is_started(target) && result == -ESRCH &&
				child_poll(&target->process.child)))) {
		target->missing = *error;
		return target_watch_process(targets, target, error);
	}
	return result;
}
