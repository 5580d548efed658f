/*
 * provider_sched.c: provider sched: threads get a processor and leave it, sleep and are woken.
 *
 * When a thread leaves its processor, the scheduler's tracepoint fires in that thread; when the
 * next one begins to run, in the next one. For a new thread the tracepoint does not fire; it is
 * known by the return of the system call that has made it.
 *
 * No tracepoint fires when a priority changes, so the return of the system calls that change it is
 * traced. The clock's tick is a timer of each processor, which does not run while the processor
 * idles.
 */
#include "kernel/machine/tracepoint_view.h"

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
/* A thread that is woken while it still runs is in no queue. */
#define IS_OFF_CPU                                                                                 \
	{                                                                                          \
		VIEW_FIELD(0, 4, "task_struct", "on_cpu"), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)       \
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
/* A system call that changes the priority of the thread whose number is in the register. The old
 * priority is noted at the call's entry. */
#define CHANGE(name_of_call, register, ...)                                                        \
	{.name = "change-pri",                                                                     \
		.call = (name_of_call),                                                            \
		.is_return = true,                                                                 \
		.note = "by setpriority() of a process or thread, and sched_set*()",               \
		.conditions = {SUCCEEDS, IS_THERE(register), IS_NOTED, __VA_ARGS__},               \
		.arguments = {{"struct vmtap_changed *", "t", VIEW_TARGET(register)},              \
			{"struct task_struct *", "p", VIEW_TARGET(register)},                      \
			{"int", "pri", VIEW_PRIORITY(register)},                                   \
			{"int", "before", VIEW_RESULT(KERNEL_OPERAND_NOTED)}}},                    \
	{                                                                                          \
		.name = "change-pri", .call = (name_of_call), .notes = true,                       \
		.conditions = {IS_THERE(register), __VA_ARGS__}, .arguments = {                    \
			{"int", "before", VIEW_PRIORITY(register)}                                 \
		}                                                                                  \
	}
#define SUCCEEDS IS_NEW
#define IS_THERE(register)                                                                         \
	{                                                                                          \
		VIEW_TARGET(register), 0, KERNEL_DIFFERENT, VIEW_CONSTANT(0)                       \
	}
#define IS_NOTED                                                                                   \
	{                                                                                          \
		VIEW_RESULT(KERNEL_OPERAND_NOTED), 0, KERNEL_DIFFERENT,                            \
			VIEW_CONSTANT(KERNEL_NOTHING_NOTED)                                        \
	}
#define IS_ONE_THREAD                                                                              \
	{                                                                                          \
		VIEW_REGISTER(KERNEL_RDI), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)                       \
	}
#define ANY                                                                                        \
	{                                                                                          \
		.comparison = 0                                                                    \
	}
#define QUEUES "approximate: from wakeups and switches, not from the run queues themselves"

static const struct kernel_view views[] = {
	CHANGE("setpriority", KERNEL_RSI, IS_ONE_THREAD),
	CHANGE("sched_setscheduler", KERNEL_RDI, ANY),
	CHANGE("sched_setparam", KERNEL_RDI, ANY),
	CHANGE("sched_setattr", KERNEL_RDI, ANY),
	{.name = "dequeue",
		.tracepoint = "sched_switch",
		.note = QUEUES,
		.conditions = {IS_BUSY(NEXT)},
		.arguments = {TASK("t", NEXT), TASK("p", NEXT), CPU(NEXT)}},
	{.name = "enqueue",
		.tracepoint = "sched_wakeup",
		.note = QUEUES,
		.conditions = {IS_OFF_CPU},
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
		.tracepoint = "hrtimer_expire_entry",
		.conditions = {{VIEW_FIELD(0, 8, "hrtimer", "function"), 0, KERNEL_EQUAL,
			VIEW_FUNCTION("tick_nohz_handler", "tick_sched_timer")}},
		.arguments = {{"struct task_struct *", "t", VIEW_CURRENT},
			{"struct task_struct *", "p", VIEW_CURRENT}}},
	{.name = "wakeup", .tracepoint = "sched_waking", .arguments = {TASK("t", 0), TASK("p", 0)}},
};

const struct kernel_provider kernel_provider_sched = VIEW_PROVIDER("sched", views);
