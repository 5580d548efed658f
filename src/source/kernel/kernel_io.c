/*
 * kernel_io.c: provider io: requests to block devices, where the kernel gives them to a device's
 * driver, and where the driver says that they are done.
 */
#include "source/kernel/kernel_view.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* One request is the buffer, the device and the file; translators show what is known of each. */
#define REQUEST(what)                                                                              \
	{                                                                                          \
		"struct request *", what, VIEW_CONTEXT(0, 8, false)                                \
	}
#define NO_WAITS "the kernel has no tracepoint that says for which request a thread waits"

static const struct kernel_view views[] = {
	{.name = "done",
		.tracepoint = "block_rq_complete",
		.arguments = {REQUEST("b"), REQUEST("d"), REQUEST("f")}},
	{.name = "start",
		.tracepoint = "block_rq_issue",
		.arguments = {REQUEST("b"), REQUEST("d"), REQUEST("f")}},
	{.name = "wait-done", .missing = NO_WAITS},
	{.name = "wait-start", .missing = NO_WAITS},
};

const struct kernel_view_provider kernel_io = {"io", views, COUNT(views)};
