/* kernel_layout.c: see kernel_layout.h. */
#include "source/kernel/kernel_layout.h"

#include "source/kernel/kernel_btf.h"

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
	COUNT
};

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
		[TASK_CLOCK] = {KERNEL_BTF_MEMBER, "rq", "clock_task", false, 0, 0}};

	kernel_btf_find(queries, COUNT);
	*layout = (struct kernel_layout){.has_task = all_found(queries, 0, TASK_COUNT),
		.has_clock = all_found(queries, ENTITY, COUNT),
		.real_parent = queries[REAL_PARENT].result,
		.group_leader = queries[GROUP_LEADER].result,
		.tgid = queries[TGID].result,
		.name = queries[NAME].result,
		.runtime = queries[ENTITY].result + queries[RUNTIME].result,
		.since = queries[ENTITY].result + queries[SINCE].result,
		.queue = queries[ENTITY].result + queries[QUEUE].result,
		.processor = queries[PROCESSOR].result,
		.clock = queries[CLOCK].result,
		.task_clock = queries[TASK_CLOCK].result};
}
