/*
 * provider_io.c: provider io: requests to block devices, when the kernel gives them to a device's
 * driver, and when the driver reports that they are done.
 */
#include "kernel/machine/tracepoint_view.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/*
 * The buffer, the device and the file are all the request; translators show what is known of each.
 */
#define REQUEST(what)                                                                              \
	{                                                                                          \
		"struct request *", what, VIEW_CONTEXT(0, 8, false)                                \
	}
#define NO_WAITS "the kernel has no tracepoint that says for which request a thread waits"

/*
 * A device that is busy gives a request back, and the kernel issues it again later, in whichever
 * thread runs then. Once issued, the request has a timeout; that shows which time is the first.
 */
#define IS_FIRST                                                                                   \
	{                                                                                          \
		VIEW_FIELD(0, 4, "request", "timeout"), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)          \
	}

static const struct kernel_view views[] = {
	{.name = "done",
		.tracepoint = "block_rq_complete",
		.arguments = {REQUEST("b"), REQUEST("d"), REQUEST("f")}},
	{.name = "start",
		.tracepoint = "block_rq_issue",
		.conditions = {IS_FIRST},
		.arguments = {REQUEST("b"), REQUEST("d"), REQUEST("f")}},
	{.name = "wait-done", .missing = NO_WAITS},
	{.name = "wait-start", .missing = NO_WAITS},
};

const struct kernel_provider kernel_provider_io = VIEW_PROVIDER("io", views);
