/*
 * code_joins.c: see code_joins.h. A process may be stopped until its new probes are attached, so
 * nothing here waits.
 */
#include "targets/code_joins.h"

#include <errno.h>

#include "base/debug.h"
#include "base/error.h"
#include "kernel/process/process_source.h"
#include "program/probe.h"
#include "targets/targets_private.h"

/* Joins the next new code that the kernel has reported. Returns false if there is none. */
static bool join_next(struct targets *targets, const struct target_joiner *joiner)
{
	struct d_probe_set own = {0};
	struct source *source;
	struct target_joined joined;
	struct error error;
	int result;

	if (d_probe_set_init(&own)) {
		target_tell(targets, "out of memory");
		return false;
	}
	source = source_kernel_later(targets->kernel, &own);
	result = source ? joiner->enable(joiner->context, source, &own, &joined, &error) : 0;
	if (result == -EMFILE)
		target_tell(targets,
			"%s: it and what was loaded with it is not traced: a higher hard limit of "
			"descriptors is needed (ulimit -Hn)",
			error.text);
	else if (result)
		target_tell(targets, "%s", error.text);
	else if (source)
		debug_say(DEBUG_TARGET, "process %u has %u more probes of the script's",
			(unsigned int)source->process.pid,
			(unsigned int)(joined.end - joined.first));
	source_close(source);
	d_probe_set_free(&own);
	return source;
}

void code_joins_take(struct targets *targets, const struct target_joiner *joiner)
{
	while (targets->kernel && join_next(targets, joiner))
		;
}
