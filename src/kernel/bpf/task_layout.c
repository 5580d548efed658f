/*
 * task_layout.c: see task_layout.h. Offsets that the kernel's description lacks make the whole
 * layout unknown: a program must not read at an offset that is a guess.
 */
#include "kernel/bpf/task_layout.h"

#include "kernel/bpf/btf_lookup.h"

enum {
	REAL_PARENT,
	GROUP_LEADER,
	TGID,
	NAME,
	TASK_COUNT,
	ENTITY = TASK_COUNT,
	RUNTIME,
	SINCE,
	QUEUE,
	PROCESSOR,
	CLOCK,
	TASK_CLOCK,
	CLOCK_END,
	THREAD = CLOCK_END,
	STATUS,
	NUMBER,
	THREAD_NUMBERS = NUMBER,
	SIGNAL,
	PROCESSES,
	LEVEL,
	NUMBERS,
	NAMESPACE,
	INODE_NUMBER,
	COUNT
};

enum { PIDTYPE_TGID = 1 /* the kernel's, an index of `pids` */ };

static bool all_found(const struct kernel_btf_query *queries, unsigned first, unsigned end)
{
	bool result = true;

	for (unsigned i = first; i < end; i++)
		result &= queries[i].is_found;
	return result;
}

void kernel_layout_find(struct kernel_layout *layout)
{
	struct kernel_btf_query queries[COUNT] = {
		[REAL_PARENT] = {KERNEL_BTF_MEMBER, "task_struct", "real_parent", false, 0, 0},
		[GROUP_LEADER] = {KERNEL_BTF_MEMBER, "task_struct", "group_leader", false, 0, 0},
		[TGID] = {KERNEL_BTF_MEMBER, "task_struct", "tgid", false, 0, 0},
		[NAME] = {KERNEL_BTF_MEMBER, "task_struct", "comm", false, 0, 0},
		[ENTITY] = {KERNEL_BTF_MEMBER, "task_struct", "se", false, 0, 0},
		[RUNTIME] = {KERNEL_BTF_MEMBER, "sched_entity", "sum_exec_runtime", false, 0, 0},
		[SINCE] = {KERNEL_BTF_MEMBER, "sched_entity", "exec_start", false, 0, 0},
		[QUEUE] = {KERNEL_BTF_MEMBER, "sched_entity", "cfs_rq", false, 0, 0},
		[PROCESSOR] = {KERNEL_BTF_MEMBER, "cfs_rq", "rq", false, 0, 0},
		[CLOCK] = {KERNEL_BTF_MEMBER, "rq", "clock", false, 0, 0},
		[TASK_CLOCK] = {KERNEL_BTF_MEMBER, "rq", "clock_task", false, 0, 0},
		[THREAD] = {KERNEL_BTF_MEMBER, "task_struct", "thread_info", false, 0, 0},
		[STATUS] = {KERNEL_BTF_MEMBER, "thread_info", "status", false, 0, 0},
		[THREAD_NUMBERS] = {KERNEL_BTF_MEMBER, "task_struct", "thread_pid", false, 0, 0},
		[SIGNAL] = {KERNEL_BTF_MEMBER, "task_struct", "signal", false, 0, 0},
		[PROCESSES] = {KERNEL_BTF_MEMBER, "signal_struct", "pids", false, 0, 0},
		[LEVEL] = {KERNEL_BTF_MEMBER, "pid", "level", false, 0, 0},
		[NUMBERS] = {KERNEL_BTF_MEMBER, "pid", "numbers", false, 0, 0},
		[NAMESPACE] = {KERNEL_BTF_MEMBER, "pid_namespace", "ns", false, 0, 0},
		[INODE_NUMBER] = {KERNEL_BTF_MEMBER, "ns_common", "inum", false, 0, 0}};

	kernel_btf_find(queries, COUNT);
	*layout = (struct kernel_layout){.has_task = all_found(queries, 0, TASK_COUNT),
		.has_clock = all_found(queries, ENTITY, CLOCK_END),
		.real_parent = queries[REAL_PARENT].result,
		.group_leader = queries[GROUP_LEADER].result,
		.tgid = queries[TGID].result,
		.name = queries[NAME].result,
		.runtime = queries[ENTITY].result + queries[RUNTIME].result,
		.since = queries[ENTITY].result + queries[SINCE].result,
		.queue = queries[ENTITY].result + queries[QUEUE].result,
		.processor = queries[PROCESSOR].result,
		.clock = queries[CLOCK].result,
		.task_clock = queries[TASK_CLOCK].result,
		.has_compat = all_found(queries, THREAD, NUMBER),
		.compat = queries[THREAD].result + queries[STATUS].result,
		.number = {.is_known = all_found(queries, NUMBER, COUNT),
			.thread = queries[THREAD_NUMBERS].result,
			.signal = queries[SIGNAL].result,
			.process = (uint32_t)(queries[PROCESSES].result +
				PIDTYPE_TGID * sizeof(uint64_t)),
			.level = queries[LEVEL].result,
			.numbers = queries[NUMBERS].result,
			.namespace_inode =
				queries[NAMESPACE].result + queries[INODE_NUMBER].result}};
}

enum {
	WATCH_PID,
	WATCH_TGID,
	WATCH_SIGNAL,
	WATCH_LIVE,
	WATCH_IDENTITY,
	WATCH_LEVEL,
	WATCH_NUMBERS,
	WATCH_NAMESPACE,
	WATCH_INODE_NUMBER,
	WATCH_COUNT
};

void kernel_layout_find_watch(struct kernel_watch_layout *layout)
{
	struct kernel_btf_query queries[WATCH_COUNT] = {
		[WATCH_PID] = {KERNEL_BTF_MEMBER, "task_struct", "pid", false, 0, 0},
		[WATCH_TGID] = {KERNEL_BTF_MEMBER, "task_struct", "tgid", false, 0, 0},
		[WATCH_SIGNAL] = {KERNEL_BTF_MEMBER, "task_struct", "signal", false, 0, 0},
		[WATCH_LIVE] = {KERNEL_BTF_MEMBER, "signal_struct", "live", false, 0, 0},
		[WATCH_IDENTITY] = {KERNEL_BTF_MEMBER, "task_struct", "thread_pid", false, 0, 0},
		[WATCH_LEVEL] = {KERNEL_BTF_MEMBER, "pid", "level", false, 0, 0},
		[WATCH_NUMBERS] = {KERNEL_BTF_MEMBER, "pid", "numbers", false, 0, 0},
		[WATCH_NAMESPACE] = {KERNEL_BTF_MEMBER, "pid_namespace", "ns", false, 0, 0},
		[WATCH_INODE_NUMBER] = {KERNEL_BTF_MEMBER, "ns_common", "inum", false, 0, 0}};

	kernel_btf_find(queries, WATCH_COUNT);
	*layout = (struct kernel_watch_layout){.has_task = all_found(queries, 0, WATCH_IDENTITY),
		.pid = queries[WATCH_PID].result,
		.tgid = queries[WATCH_TGID].result,
		.signal = queries[WATCH_SIGNAL].result,
		.live = queries[WATCH_LIVE].result,
		.has_numbers = all_found(queries, WATCH_IDENTITY, WATCH_COUNT),
		.identity = queries[WATCH_IDENTITY].result,
		.level = queries[WATCH_LEVEL].result,
		.numbers = queries[WATCH_NUMBERS].result,
		.namespace_inode =
			queries[WATCH_NAMESPACE].result + queries[WATCH_INODE_NUMBER].result};
}
