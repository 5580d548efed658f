/* flame_lost.c: see flame_lost.h. */
#include "cli/flame/flame_lost.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/cli.h"

enum { AGAIN_MAX = 600 };

void flame_lost_text(char text[FLAME_LOST_MAX], uint64_t lost, bool is_sampled, enum flame_way way)
{
	static const char *const remedies[] = {[FLAME_WAY_LOG] = ": record with --lossless",
		[FLAME_WAY_KERNEL_LOG] = "",
		[FLAME_WAY_PROCESS] = ": with --lossless the VM waits",
		[FLAME_WAY_TRACE] = ": with --lossless the VM waits",
		[FLAME_WAY_LOSSLESS_TRACE] = "",
		[FLAME_WAY_KERNEL] = ": larger buffers lose fewer (-x bufsize=64m)"};

	if (is_sampled)
		snprintf(text, FLAME_LOST_MAX,
			"%" PRIu64 " samples were lost, and the shares are those of the others%s",
			lost, remedies[way]);
	else
		snprintf(text, FLAME_LOST_MAX,
			"%" PRIu64 " events were lost, and stacks end where they were: %s", lost,
			way == FLAME_WAY_LOG ? "record with --lossless, or take --samples"
				: way == FLAME_WAY_KERNEL_LOG
				? "record fewer probes, or samples, which is without -n"
				: "take --samples, or record a log with --lossless");
}

void flame_lost_tell_calls(const struct flame_lost_calls *calls)
{
	const enum stacks_measure measure = calls->measure;
	char again[AGAIN_MAX] = "", seconds[40] = "";

	if (calls->seconds)
		snprintf(seconds, sizeof(seconds), "--seconds %" PRIu64 " ", calls->seconds);
	if (measure == STACKS_TIME || measure == STACKS_CALLS)
		snprintf(again, sizeof(again),
			"'vmtap flame --exact --lossless %s%s-p %s -o %s' has the VM wait instead",
			measure == STACKS_CALLS ? "--by calls " : "", seconds, calls->pid,
			calls->output);
	else
		snprintf(again, sizeof(again),
			"'vmtap record --lossless %s-p %s -o LOG' has the VM wait instead, and "
			"'vmtap flame --by %s LOG -o %s' draws that",
			seconds, calls->pid, calls->measure_name, calls->output);
	if (measure == STACKS_TIME)
		cli_message("%s: %" PRIu64
			    " events were lost, and stacks end where they were: samples lose "
			    "none ('vmtap flame %s-p %s -o %s'), and %s",
			calls->pid, calls->lost, seconds, calls->pid, calls->output, again);
	else
		cli_message("%s: %" PRIu64 " events were lost, and stacks end where they were: %s",
			calls->pid, calls->lost, again);
}
