/* later.c: see later.h. */
#include "cli/trace/later.h"

#include <errno.h>

#include "base/debug.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/trace/join.h"
#include "cli/trace/target.h"
#include "kernel/process/process_source.h"
#include "program/probe.h"

/* Joins the next thing that has turned up; false: nothing has. */
static bool join_next(struct targets *targets, const struct join_run *run)
{
	struct d_probe_set own = {0};
	struct source *source;
	struct joined joined;
	struct error error;
	int result;

	if (d_probe_set_init(&own)) {
		cli_message("out of memory");
		return false;
	}
	source = source_kernel_later(targets->kernel, &own);
	result = source ? join_enable(run, source, &own, &joined, &error) : 0;
	if (result == -EMFILE)
		cli_message(
			"%s: it and what was loaded with it is not traced: a higher hard limit of "
			"descriptors is needed (ulimit -Hn)",
			error.text);
	else if (result)
		cli_message("%s", error.text);
	else if (source)
		debug_say(DEBUG_TARGET, "process %u has %u more probes of the script's",
			(unsigned int)source->process.pid,
			(unsigned int)(joined.end - joined.first));
	source_close(source);
	d_probe_set_free(&own);
	return source;
}

void later_join(struct targets *targets, const struct join_run *run)
{
	while (targets->kernel && join_next(targets, run))
		;
}
