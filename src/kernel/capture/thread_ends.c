/*
 * thread_ends.c: see thread_ends.h. One program runs when a thread exits, another when a thread is
 * made. Both only put a head into the ring; they must not wait, since they run in the kernel's
 * scheduler.
 */
#include "kernel/capture/thread_ends.h"

#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_current.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/task_layout.h"
#include "kernel/capture/plan.h"

enum {
	/* On the programs' stack. */
	STACK_IDS = -8, /* tid, then pid */
	STACK_TID = STACK_IDS,
	STACK_PID = STACK_IDS + 4,
	FORK_CHILD = 8 /* the tracepoint's argument: the new task */
};

/* Reads an id of the task in R7 to a place on the stack. */
static void read_id(struct bpf_code *code, uint32_t member, int place, uint32_t failed)
{
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, place);
	bpf_set(code, BPF_REG_2, 4);
	bpf_move(code, BPF_REG_3, BPF_REG_7);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)member);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, failed);
}

/* Puts a record of the thread on the stack into the ring. */
static void put_record(struct bpf_code *code, int ring, uint32_t done)
{
	bpf_set_map(code, BPF_REG_1, ring);
	bpf_set(code, BPF_REG_2, sizeof(struct kernel_head));
	bpf_set(code, BPF_REG_3, 0);
	bpf_call(code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, done);
	bpf_move(code, BPF_REG_8, BPF_REG_0);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_head, time), BPF_REG_0, 8);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_head, site), 0, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_TID, 4);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_head, tid), BPF_REG_0, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_PID, 4);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_head, pid), BPF_REG_0, 4);
	bpf_call(code, BPF_FUNC_get_smp_processor_id);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_head, cpu), BPF_REG_0, 2);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_head, kind), KERNEL_RECORD_END, 2);
	bpf_move(code, BPF_REG_1, BPF_REG_8);
	bpf_set(code, BPF_REG_2, BPF_RB_NO_WAKEUP);
	bpf_call(code, BPF_FUNC_ringbuf_submit);
}

/* Loads a program and attaches it. layout: for a program about the task that a fork makes; NULL for
 * one about the task that runs it. Returns the link or a negative errno. */
static int attach_ends(const char *tracepoint, const struct kernel_watch_layout *layout,
	const struct bpf_features *features, int ring, struct error *error)
{
	struct bpf_code code;
	int result, program, link;
	uint32_t done;

	bpf_code_begin(&code);
	done = bpf_label(&code);
	if (layout) {
		bpf_read(&code, BPF_REG_7, BPF_REG_1, FORK_CHILD, 8);
		read_id(&code, layout->pid, STACK_TID, done);
		read_id(&code, layout->tgid, STACK_PID, done);
	} else {
		bpf_current_ids(&code, features, STACK_IDS, done);
	}
	put_record(&code, ring, done);
	bpf_place(&code, done);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	result = bpf_code_end(&code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	program = result ? result : bpf_load(code.instructions, code.count, BPF_RAW, error);
	bpf_code_free(&code);
	if (program < 0)
		return program;
	link = bpf_attach_raw(program, tracepoint);
	close(program);
	if (link < 0)
		error_set(error, -link, "the kernel does not tell of ended threads (%s): %s",
			tracepoint, strerror(-link));
	return link;
}

int kernel_ends_open(struct kernel_ends *ends, const struct bpf_features *features, int ring,
	struct error *error)
{
	struct kernel_watch_layout layout;

	ends->exit_link = attach_ends("sched_process_exit", NULL, features, ring, error);
	if (ends->exit_link < 0)
		return ends->exit_link;
	/*
	 * The numbers in the new task are the kernel's own; in another namespace they are useless.
	 */
	kernel_layout_find_watch(&layout);
	if (features->other_namespace || !layout.has_task)
		return 0;
	ends->fork_link = attach_ends("sched_process_fork", &layout, features, ring, error);
	return ends->fork_link < 0 ? ends->fork_link : 0;
}

void kernel_ends_close(struct kernel_ends *ends)
{
	if (ends->exit_link >= 0)
		close(ends->exit_link);
	if (ends->fork_link >= 0)
		close(ends->fork_link);
	*ends = KERNEL_ENDS_NONE;
}
