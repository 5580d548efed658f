/*
 * provider_proc.c: provider proc: processes and threads begin and end, programs are executed,
 * signals are sent and handled.
 *
 * No tracepoint fires in a new thread before it runs. But the system call that has made the thread
 * also returns in it, with 0, before anything else. Two system calls execute programs; the path is
 * known at their entry. A tracepoint reports success once the process has its new name.
 */
#include "kernel/machine/tracepoint_view.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

#define PID_OF(number) VIEW_FIELD(number, 4, "task_struct", "pid")
#define TGID_OF(number) VIEW_FIELD(number, 4, "task_struct", "tgid")
#define OWN_PID VIEW_OF_THREAD(KERNEL_OPERAND_FIELD, 4, "task_struct", "pid", NULL, NULL)
#define OWN_TGID VIEW_OF_THREAD(KERNEL_OPERAND_FIELD, 4, "task_struct", "tgid", NULL, NULL)

/* Conditions for the first thread of a process, the last one, and a call that returns in a new
 * thread. */
#define IS_FIRST(comparison)                                                                       \
	{                                                                                          \
		PID_OF(1), 0, comparison, TGID_OF(1)                                               \
	}
#define IS_LAST                                                                                    \
	{                                                                                          \
		VIEW_OF_THREAD(KERNEL_OPERAND_FIELD, 4, "task_struct", "signal", "signal_struct",  \
			"live"),                                                                   \
			0, KERNEL_EQUAL, VIEW_CONSTANT(0)                                          \
	}
#define IS_NEW                                                                                     \
	{                                                                                          \
		VIEW_RESULT(KERNEL_OPERAND_RESULT), 0, KERNEL_EQUAL, VIEW_CONSTANT(0)              \
	}
#define IS_PROCESS                                                                                 \
	{                                                                                          \
		OWN_PID, 0, KERNEL_EQUAL, OWN_TGID                                                 \
	}
#define FAILS                                                                                      \
	{                                                                                          \
		VIEW_RESULT(KERNEL_OPERAND_ERRNO), 0, KERNEL_DIFFERENT, VIEW_CONSTANT(0)           \
	}

#define TASK(what, number)                                                                         \
	{                                                                                          \
		"struct task_struct *", what, VIEW_CONTEXT(number, 8, false)                       \
	}

/* If two probes fire at once, the first in this table fires first. */
static const struct kernel_view views[] = {
	{.name = "create",
		.tracepoint = "sched_process_fork",
		.conditions = {IS_FIRST(KERNEL_EQUAL)},
		.arguments = {TASK("t", 1)}},
	{.name = "exec",
		.call = "execve",
		.arguments = {{"char *", "path", VIEW_REGISTER(KERNEL_RDI)}}},
	{.name = "exec",
		.call = "execveat",
		.arguments = {{"char *", "path", VIEW_REGISTER(KERNEL_RSI)}}},
	{.name = "exec-failure",
		.call = "execve",
		.is_return = true,
		.conditions = {FAILS},
		.arguments = {{"int", "error", VIEW_RESULT(KERNEL_OPERAND_ERRNO)}}},
	{.name = "exec-failure",
		.call = "execveat",
		.is_return = true,
		.conditions = {FAILS},
		.arguments = {{"int", "error", VIEW_RESULT(KERNEL_OPERAND_ERRNO)}}},
	{.name = "exec-success", .tracepoint = "sched_process_exec"},
	{.name = "exit",
		.tracepoint = "sched_process_exit",
		.conditions = {IS_LAST},
		.arguments = {{"int", "reason",
			VIEW_OF_THREAD(
				KERNEL_OPERAND_END, 4, "task_struct", "exit_code", NULL, NULL)}}},
	{.name = "fault",
		.missing = "Linux has no machine faults that are no signals: see signal-send"},
	{.name = "lwp-create",
		.tracepoint = "sched_process_fork",
		.conditions = {IS_FIRST(KERNEL_DIFFERENT)},
		.arguments = {TASK("t", 1), TASK("p", 1)}},
	{.name = "lwp-exit", .tracepoint = "sched_process_exit"},
	{.name = "start", .call = "clone", .is_return = true, .conditions = {IS_NEW, IS_PROCESS}},
	{.name = "start", .call = "clone3", .is_return = true, .conditions = {IS_NEW, IS_PROCESS}},
	{.name = "start", .call = "fork", .is_return = true, .conditions = {IS_NEW, IS_PROCESS}},
	{.name = "start", .call = "vfork", .is_return = true, .conditions = {IS_NEW, IS_PROCESS}},
	{.name = "lwp-start", .call = "clone", .is_return = true, .conditions = {IS_NEW}},
	{.name = "lwp-start", .call = "clone3", .is_return = true, .conditions = {IS_NEW}},
	{.name = "lwp-start", .call = "fork", .is_return = true, .conditions = {IS_NEW}},
	{.name = "lwp-start", .call = "vfork", .is_return = true, .conditions = {IS_NEW}},
	{.name = "signal-clear",
		.call = "rt_sigtimedwait",
		.is_return = true,
		.conditions = {{VIEW_RESULT(KERNEL_OPERAND_RESULT), 0, KERNEL_ABOVE,
			VIEW_CONSTANT(0)}},
		.arguments = {{"int", "signal", VIEW_RESULT(KERNEL_OPERAND_RESULT)}}},
	{.name = "signal-send",
		.tracepoint = "signal_generate",
		.arguments = {TASK("t", 2), TASK("p", 2),
			{"int", "signal", VIEW_CONTEXT(0, 4, true)}}},
	{.name = "signal-discard",
		.tracepoint = "signal_generate",
		.conditions = {{VIEW_CONTEXT(4, 4, true), 0, KERNEL_EQUAL, VIEW_CONSTANT(1)}},
		.arguments = {TASK("t", 2), TASK("p", 2),
			{"int", "signal", VIEW_CONTEXT(0, 4, true)}}},
	{.name = "signal-handle",
		.tracepoint = "signal_deliver",
		.arguments = {{"int", "signal", VIEW_CONTEXT(0, 4, true)},
			{"struct kernel_siginfo *", "info", VIEW_CONTEXT(1, 8, false)},
			{"uintptr_t", "handler", VIEW_FIELD(2, 8, "k_sigaction", "sa")}}},
};

const struct kernel_provider kernel_provider_proc = VIEW_PROVIDER("proc", views);
