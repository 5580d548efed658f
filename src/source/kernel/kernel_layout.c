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

enum {
	WATCH_PID,
	WATCH_TGID,
	WATCH_SIGNAL,
	WATCH_LIVE,
	WATCH_TERMINAL,
	WATCH_IDENTITY,
	WATCH_LEVEL,
	WATCH_NUMBERS,
	WATCH_NAMESPACE,
	WATCH_INODE_NUMBER,
	WATCH_FIRST,
	WATCH_NEXT,
	WATCH_LAST,
	WATCH_PROTECTION,
	WATCH_FILE,
	WATCH_INODE,
	WATCH_NUMBER,
	WATCH_GENERATION,
	WATCH_SYSTEM,
	WATCH_DEVICE,
	WATCH_CHANGED, /* the kernel has had three names for it; one is enough */
	WATCH_CHANGED_BEFORE,
	WATCH_CHANGED_AT_FIRST,
	WATCH_COUNT
};

void kernel_layout_find_watch(struct kernel_watch_layout *layout)
{
	struct kernel_btf_query queries[WATCH_COUNT] = {
		[WATCH_PID] = {KERNEL_BTF_MEMBER, "task_struct", "pid", false, 0, 0},
		[WATCH_TGID] = {KERNEL_BTF_MEMBER, "task_struct", "tgid", false, 0, 0},
		[WATCH_SIGNAL] = {KERNEL_BTF_MEMBER, "task_struct", "signal", false, 0, 0},
		[WATCH_LIVE] = {KERNEL_BTF_MEMBER, "signal_struct", "live", false, 0, 0},
		[WATCH_TERMINAL] = {KERNEL_BTF_MEMBER, "signal_struct", "tty", false, 0, 0},
		[WATCH_IDENTITY] = {KERNEL_BTF_MEMBER, "task_struct", "thread_pid", false, 0, 0},
		[WATCH_LEVEL] = {KERNEL_BTF_MEMBER, "pid", "level", false, 0, 0},
		[WATCH_NUMBERS] = {KERNEL_BTF_MEMBER, "pid", "numbers", false, 0, 0},
		[WATCH_NAMESPACE] = {KERNEL_BTF_MEMBER, "pid_namespace", "ns", false, 0, 0},
		[WATCH_INODE_NUMBER] = {KERNEL_BTF_MEMBER, "ns_common", "inum", false, 0, 0},
		[WATCH_FIRST] = {KERNEL_BTF_FUNCTION, "bpf_iter_task_vma_new", NULL, false, 0, 0},
		[WATCH_NEXT] = {KERNEL_BTF_FUNCTION, "bpf_iter_task_vma_next", NULL, false, 0, 0},
		[WATCH_LAST] = {KERNEL_BTF_FUNCTION, "bpf_iter_task_vma_destroy", NULL, false, 0,
			0},
		[WATCH_PROTECTION] = {KERNEL_BTF_MEMBER, "vm_area_struct", "vm_page_prot", false, 0,
			0},
		[WATCH_FILE] = {KERNEL_BTF_MEMBER, "vm_area_struct", "vm_file", false, 0, 0},
		[WATCH_INODE] = {KERNEL_BTF_MEMBER, "file", "f_inode", false, 0, 0},
		[WATCH_NUMBER] = {KERNEL_BTF_MEMBER, "inode", "i_ino", false, 0, 0},
		[WATCH_GENERATION] = {KERNEL_BTF_MEMBER, "inode", "i_generation", false, 0, 0},
		[WATCH_SYSTEM] = {KERNEL_BTF_MEMBER, "inode", "i_sb", false, 0, 0},
		[WATCH_DEVICE] = {KERNEL_BTF_MEMBER, "super_block", "s_dev", false, 0, 0},
		[WATCH_CHANGED] = {KERNEL_BTF_MEMBER, "inode", "i_ctime_sec", false, 0, 0},
		[WATCH_CHANGED_BEFORE] = {KERNEL_BTF_MEMBER, "inode", "__i_ctime", false, 0, 0},
		[WATCH_CHANGED_AT_FIRST] = {KERNEL_BTF_MEMBER, "inode", "i_ctime", false, 0, 0}};
	const struct kernel_btf_query *changed = &queries[WATCH_CHANGED];

	kernel_btf_find(queries, WATCH_COUNT);
	while (!changed->is_found && changed < &queries[WATCH_CHANGED_AT_FIRST])
		changed++;
	*layout = (struct kernel_watch_layout){.has_task = all_found(queries, 0, WATCH_IDENTITY),
		.pid = queries[WATCH_PID].result,
		.tgid = queries[WATCH_TGID].result,
		.signal = queries[WATCH_SIGNAL].result,
		.live = queries[WATCH_LIVE].result,
		.terminal = queries[WATCH_TERMINAL].result,
		.has_numbers = all_found(queries, WATCH_IDENTITY, WATCH_FIRST),
		.identity = queries[WATCH_IDENTITY].result,
		.level = queries[WATCH_LEVEL].result,
		.numbers = queries[WATCH_NUMBERS].result,
		.namespace_inode =
			queries[WATCH_NAMESPACE].result + queries[WATCH_INODE_NUMBER].result,
		.has_files = all_found(queries, WATCH_FIRST, WATCH_CHANGED) && changed->is_found,
		.first = queries[WATCH_FIRST].result,
		.next = queries[WATCH_NEXT].result,
		.last = queries[WATCH_LAST].result,
		.flags = queries[WATCH_PROTECTION].result + 8, /* the flags follow */
		.file = queries[WATCH_FILE].result,
		.inode = queries[WATCH_INODE].result,
		.number = queries[WATCH_NUMBER].result,
		.generation = queries[WATCH_GENERATION].result,
		.system = queries[WATCH_SYSTEM].result,
		.changed = changed->result,
		.device = queries[WATCH_DEVICE].result};
}
