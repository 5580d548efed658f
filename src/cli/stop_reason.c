/* stop_reason.c: see stop_reason.h. */
#include "cli/stop_reason.h"

const char *stop_reason_text(uint64_t status)
{
	static const char *const reasons[] = {"stopped", "heap used up", "stack used up",
		"its time was up", "stopped", "finished", "foreign call",
		"blocked on a lock or queue", "blocked on another's evaluation",
		"blocked on reading", "blocked on writing", "delay", "blocked on a transaction",
		"blocked on input or output"};

	if (status == 18)
		return "blocked on throwing";
	if (status == 20)
		return "blocked on reading a queue";
	return status < sizeof(reasons) / sizeof(reasons[0]) ? reasons[status] : "stopped";
}
