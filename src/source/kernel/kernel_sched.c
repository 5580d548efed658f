/*
 * kernel_sched.c: provider sched: threads get a processor and leave it, sleep and are woken.
 *
 * Where a thread leaves its processor, the scheduler's tracepoint runs in that thread; where the
 * next one begins, in that one. A new thread begins to run without it, and is known by the return
 * of the system call that has made it.
 */
#include "source/kernel/kernel_view.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Arguments of sched_switch. */
enum { PREEMPTS, PREVIOUS, NEXT, STATE };

enum { ASLEEP = 0x7f /* bits of a state: neither runnable nor dead */ };

#define TASK(what, number)                                                                         \
	{                                                                                          \
		"struct task_struct *", what, VIEW_CONTEXT(number, 8, false)                       \
	}
#define IS_NEW                                                                                     \
	{                                                                                          \
		VIEW_RESULT(KERNEL_OPERAND_RESULT), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)              \
	}
/* Threads that idle have the number 0, and are in no queue. */
#define IS_BUSY(number)                                                                            \
	{                                                                                          \
		VIEW_FIELD(number, 4, "task_struct", "pid"), 0, KERNEL_DIFFERENT, VIEW_CONSTANT(0) \
	}
#define IS_RUNNABLE                                                                                \
	{                                                                                          \
		VIEW_CONTEXT(STATE, 4, false), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)                   \
	}
#define IS_SWITCH(comparison)                                                                      \
	{                                                                                          \
		VIEW_CONTEXT(0, 1, false), 0, comparison, VIEW_CONSTANT(0)                         \
	}
#define CPU(number)                                                                                \
	{                                                                                          \
		"int", "processor",                                                                \
		{                                                                                  \
			.kind = KERNEL_OPERAND_FIELD, .argument = (number), .size = 4,             \
			.member = {"task_struct", "thread_info"}, .inside = {                      \
				"thread_info",                                                     \
				"cpu"                                                              \
			}                                                                          \
		}                                                                                  \
	}
#define NOT_FIRST                                                                                  \
	{                                                                                          \
		"int", "is_first", VIEW_CONSTANT(0)                                                \
	}
#define QUEUES "approximate: from wakeups and switches, not from the run queues themselves"

static const struct kernel_view views[] = {
	{.name = "change-pri",
		.missing = "the kernel has no tracepoint where a thread's priority changes"},
	{.name = "dequeue",
		.tracepoint = "sched_switch",
		.note = QUEUES,
		.conditions = {IS_BUSY(NEXT)},
		.arguments = {TASK("t", NEXT), TASK("p", NEXT), CPU(NEXT)}},
	{.name = "enqueue",
		.tracepoint = "sched_wakeup",
		.note = QUEUES,
		.arguments = {TASK("t", 0), TASK("p", 0), CPU(0), NOT_FIRST}},
	{.name = "enqueue",
		.tracepoint = "sched_wakeup_new",
		.arguments = {TASK("t", 0), TASK("p", 0), CPU(0), NOT_FIRST}},
	{.name = "enqueue",
		.tracepoint = "sched_switch",
		.conditions = {IS_BUSY(PREVIOUS), IS_RUNNABLE},
		.arguments = {TASK("t", PREVIOUS), TASK("p", PREVIOUS), CPU(PREVIOUS), NOT_FIRST}},
	{.name = "off-cpu",
		.tracepoint = "sched_switch",
		.arguments = {TASK("t", NEXT), TASK("p", NEXT)}},
	{.name = "on-cpu",
		.tracepoint = "sched_exit_tp",
		.conditions = {IS_SWITCH(KERNEL_DIFFERENT)}},
	{.name = "on-cpu", .call = "clone", .is_return = true, .conditions = {IS_NEW}},
	{.name = "on-cpu", .call = "clone3", .is_return = true, .conditions = {IS_NEW}},
	{.name = "on-cpu", .call = "fork", .is_return = true, .conditions = {IS_NEW}},
	{.name = "on-cpu", .call = "vfork", .is_return = true, .conditions = {IS_NEW}},
	{.name = "preempt",
		.tracepoint = "sched_switch",
		.conditions = {IS_BUSY(PREVIOUS), IS_RUNNABLE}},
	{.name = "remain-cpu",
		.tracepoint = "sched_exit_tp",
		.conditions = {IS_SWITCH(KERNEL_EQUAL)}},
	{.name = "schedctl-nopreempt", .missing = "Linux has no schedctl"},
	{.name = "schedctl-preempt", .missing = "Linux has no schedctl"},
	{.name = "schedctl-yield", .missing = "Linux has no schedctl"},
	{.name = "sleep",
		.tracepoint = "sched_switch",
		.conditions = {{VIEW_CONTEXT(STATE, 4, false), ASLEEP, KERNEL_DIFFERENT,
				       VIEW_CONSTANT(0)},
			{VIEW_CONTEXT(PREEMPTS, 1, false), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)}}},
	{.name = "surrender",
		.call = "sched_yield",
		.arguments = {{"struct task_struct *", "t", VIEW_CURRENT},
			{"struct task_struct *", "p", VIEW_CURRENT}}},
	{.name = "tick",
		.missing = "the kernel has no tracepoint in its clock tick: profile-n samples what "
			   "runs"},
	{.name = "wakeup", .tracepoint = "sched_waking", .arguments = {TASK("t", 0), TASK("p", 0)}},
};

const struct kernel_view_provider kernel_sched = {"sched", views, COUNT(views)};
