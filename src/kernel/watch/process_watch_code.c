/*
 * process_watch_code.c: the programs of the watch (process_watch.h).
 *
 * A program on the dynamic linker's function (linker.h) and one on the tracepoint of
 * executed programs look the process up in a map of those that are watched, put a notice into a
 * ring and send SIGSTOP to the thread that runs them: it does not return to its own code before all
 * of the process has stopped. Before the signal is sent, the process is entered into the map that
 * the guardian reads.
 *
 * If what processes start is watched, too, a program on the tracepoint of fork() enters the child
 * into the map before it runs, and one on that of exit() removes a process with its last thread.
 */
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_current.h"
#include "kernel/watch/hold.h"
#include "kernel/watch/process_watch_private.h"

enum {
	/* On the programs' stack. */
	STACK_IDS = -8, /* tid, then pid */
	STACK_PID = STACK_IDS + 4,
	STACK_VALUE = -16,
	STACK_HELD = -32,    /* struct kernel_held */
	STACK_CHILD = -40,   /* its id */
	STACK_WATCHED = -56, /* struct watched_process */
	STACK_NUMBER = -72,  /* struct upid: the id in a namespace, and the namespace */
	NAMESPACES_MAX = 32  /* that may be nested */
};

struct generator {
	struct bpf_code code;
	const struct kernel_watch *watch;
	uint32_t done, missed;
};

/* Leaves the ids on the stack, and in R7 what is known of the process, which must be watched. */
static void find_process(struct generator *g)
{
	struct bpf_code *code = &g->code;

	bpf_current_ids(code, &g->watch->features, STACK_IDS, g->done);
	bpf_set_map(code, BPF_REG_1, g->watch->watched);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, STACK_PID);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->done);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
}

/* Ends the program while the linker is still about to change something. */
static void check_state(struct generator *g)
{
	struct bpf_code *code = &g->code;
	uint32_t after = bpf_label(code);

	bpf_read(code, BPF_REG_3, BPF_REG_7, offsetof(struct watched_process, state), 8);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_3, 0, after);
	bpf_write_value(code, BPF_REG_10, STACK_VALUE, 0, 8);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, STACK_VALUE);
	bpf_set(code, BPF_REG_2, 4);
	bpf_call(code, BPF_FUNC_probe_read_user);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
	bpf_read(code, BPF_REG_1, BPF_REG_10, STACK_VALUE, 4);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, KERNEL_LINKER_CONSISTENT, g->done);
	bpf_place(code, after);
}

/* Sets a register to the address of the process's key in a map. */
static void point_to_pid(struct generator *g)
{
	bpf_move(&g->code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(&g->code, BPF_ADD, BPF_REG_2, STACK_PID);
}

/* Stops the process if it may be stopped. The notice in R8 then says whether it was stopped. */
static void stop(struct generator *g)
{
	struct bpf_code *code = &g->code;
	uint32_t after = bpf_label(code), failed = bpf_label(code), refused = bpf_label(code);

	bpf_write_value(
		code, BPF_REG_8, offsetof(struct kernel_notice, stop), KERNEL_NOTICE_RUNS, 8);
	bpf_read(code, BPF_REG_1, BPF_REG_7, offsetof(struct watched_process, may_stop), 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_set_map_value(code, BPF_REG_1, g->watch->control, 0);
	bpf_read(code, BPF_REG_1, BPF_REG_1, 0, 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_set_map(code, BPF_REG_1, g->watch->held);
	point_to_pid(g);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, STACK_HELD);
	bpf_set(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, refused);
	bpf_set(code, BPF_REG_1, SIGSTOP);
	bpf_call(code, BPF_FUNC_send_signal_thread);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, failed);
	bpf_write_value(
		code, BPF_REG_8, offsetof(struct kernel_notice, stop), KERNEL_NOTICE_STOPPED, 4);
	bpf_jump(code, after);
	bpf_place(code, failed);
	bpf_set_map(code, BPF_REG_1, g->watch->held);
	point_to_pid(g);
	bpf_call(code, BPF_FUNC_map_delete_elem);
	bpf_place(code, refused);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_notice, stop),
		KERNEL_NOTICE_NOT_STOPPED, 4);
	bpf_place(code, after);
}

static void count_missed(struct generator *g)
{
	struct bpf_code *code = &g->code;

	bpf_set_map_value(
		code, BPF_REG_1, g->watch->control, offsetof(struct watch_control, missed));
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

static void notify(struct generator *g, enum kernel_notice_kind kind)
{
	struct bpf_code *code = &g->code;

	bpf_set_map(code, BPF_REG_1, g->watch->ring.map);
	bpf_set(code, BPF_REG_2, sizeof(struct kernel_notice));
	bpf_set(code, BPF_REG_3, 0);
	bpf_call(code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->missed);
	bpf_move(code, BPF_REG_8, BPF_REG_0);
	bpf_call(code, BPF_FUNC_ktime_get_ns);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_notice, time), BPF_REG_0, 8);
	bpf_write(code, BPF_REG_10, STACK_HELD + (int)offsetof(struct kernel_held, time), BPF_REG_0,
		8);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_IDS, 4);
	bpf_write(code, BPF_REG_10, STACK_HELD + (int)offsetof(struct kernel_held, thread),
		BPF_REG_0, 8);
	bpf_write_value(code, BPF_REG_8, offsetof(struct kernel_notice, kind), (int32_t)kind, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_PID, 4);
	bpf_write(code, BPF_REG_8, offsetof(struct kernel_notice, pid), BPF_REG_0, 4);
	stop(g);
	bpf_move(code, BPF_REG_1, BPF_REG_8);
	bpf_set(code, BPF_REG_2, BPF_RB_FORCE_WAKEUP);
	bpf_call(code, BPF_FUNC_ringbuf_submit);
	bpf_jump(code, g->done);
	bpf_place(code, g->missed);
	count_missed(g);
}

static int load_watch(struct generator *g, unsigned flags, struct error *error)
{
	struct bpf_code *code = &g->code;
	int result;

	bpf_place(code, g->done);
	bpf_set(code, BPF_REG_0, 0);
	bpf_exit(code);
	result = bpf_code_end(code);
	if (result)
		error_set(error, -result, "a BPF program: %s", strerror(-result));
	else
		result = bpf_load(code->instructions, code->count, flags, error);
	bpf_code_free(code);
	return result;
}

static void begin_program(struct generator *g, const struct kernel_watch *watch)
{
	g->watch = watch;
	bpf_code_begin(&g->code);
	g->done = bpf_label(&g->code);
	g->missed = bpf_label(&g->code);
	bpf_move(&g->code, BPF_REG_6, BPF_REG_1);
	find_process(g);
}

/* Reads `bytes` of the kernel's memory at the address in R3 to a place on the stack. */
static void read_kernel(struct generator *g, int place, uint32_t bytes)
{
	bpf_move(&g->code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(&g->code, BPF_ADD, BPF_REG_1, place);
	bpf_set(&g->code, BPF_REG_2, bytes);
	bpf_call(&g->code, BPF_FUNC_probe_read_kernel);
}

/* Reads a member of the struct at the address in a register to R0, extended from its size. */
static void read_member(struct generator *g, int base, uint32_t offset, uint32_t bytes)
{
	bpf_move(&g->code, BPF_REG_3, base);
	bpf_operate_value(&g->code, BPF_ADD, BPF_REG_3, (int32_t)offset);
	bpf_write_value(&g->code, BPF_REG_10, STACK_VALUE, 0, 8);
	read_kernel(g, STACK_VALUE, bytes);
	bpf_read(&g->code, BPF_REG_0, BPF_REG_10, STACK_VALUE, 8);
}

/*
 * Finds the id of the process of the task in R8 in our namespace, if one of its namespaces is ours.
 */
static void find_number(struct generator *g)
{
	const struct kernel_watch_layout *layout = &g->watch->layout;
	struct bpf_code *code = &g->code;
	uint32_t found = bpf_label(code);

	read_member(g, BPF_REG_8, layout->identity, 8);
	bpf_move(code, BPF_REG_8, BPF_REG_0);
	read_member(g, BPF_REG_8, layout->level, 4);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	for (int i = 0; i < NAMESPACES_MAX; i++) {
		bpf_jump_if_value(code, BPF_JLT, BPF_REG_9, i, g->done);
		bpf_move(code, BPF_REG_3, BPF_REG_8);
		bpf_operate_value(code, BPF_ADD, BPF_REG_3,
			(int32_t)layout->numbers + i * KERNEL_NUMBER_BYTES);
		bpf_write_value(code, BPF_REG_10, STACK_NUMBER, 0, 8);
		bpf_write_value(code, BPF_REG_10, STACK_NUMBER + 8, 0, 8);
		read_kernel(g, STACK_NUMBER, KERNEL_NUMBER_BYTES);
		bpf_read(code, BPF_REG_3, BPF_REG_10, STACK_NUMBER + 8, 8);
		read_member(g, BPF_REG_3, layout->namespace_inode, 4);
		bpf_set(code, BPF_REG_1, g->watch->features.namespace_inode);
		bpf_jump_if(code, BPF_JEQ, BPF_REG_0, BPF_REG_1, found);
	}
	bpf_jump(code, g->done);
	bpf_place(code, found);
	bpf_read(code, BPF_REG_0, BPF_REG_10, STACK_NUMBER, 4);
}

/* Watches a process that a watched one starts. The arguments are the tasks of both. New threads are
 * ignored. */
static void watch_child(struct generator *g)
{
	const struct kernel_watch_layout *layout = &g->watch->layout;
	struct bpf_code *code = &g->code;

	bpf_read(code, BPF_REG_8, BPF_REG_6, 8, 8);
	read_member(g, BPF_REG_8, layout->pid, 4);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	read_member(g, BPF_REG_8, layout->tgid, 4);
	bpf_jump_if(code, BPF_JNE, BPF_REG_0, BPF_REG_9, g->done);
	if (g->watch->features.other_namespace)
		find_number(g);
	bpf_write(code, BPF_REG_10, STACK_CHILD, BPF_REG_0, 8);
	for (int i = 0; i < (int)sizeof(struct watched_process); i += 8) {
		bpf_read(code, BPF_REG_0, BPF_REG_7, i, 8);
		bpf_write(code, BPF_REG_10, STACK_WATCHED + i, BPF_REG_0, 8);
	}
	bpf_set_map(code, BPF_REG_1, g->watch->watched);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, STACK_CHILD);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, STACK_WATCHED);
	bpf_set(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->done);
	count_missed(g);
}

/* Stops watching a process when its last thread ends. */
static void forget_process(struct generator *g)
{
	const struct kernel_watch_layout *layout = &g->watch->layout;
	struct bpf_code *code = &g->code;

	bpf_call(code, BPF_FUNC_get_current_task);
	read_member(g, BPF_REG_0, layout->signal, 8);
	read_member(g, BPF_REG_0, layout->live, 4);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, g->done);
	bpf_set_map(code, BPF_REG_1, g->watch->watched);
	point_to_pid(g);
	bpf_call(code, BPF_FUNC_map_delete_elem);
}

static int load_family_programs(struct kernel_watch *watch, struct error *error)
{
	struct generator g;

	begin_program(&g, watch);
	watch_child(&g);
	watch->fork_program = load_watch(&g, BPF_RAW, error);
	if (watch->fork_program < 0)
		return watch->fork_program;
	begin_program(&g, watch);
	forget_process(&g);
	watch->exit_program = load_watch(&g, BPF_RAW, error);
	return watch->exit_program < 0 ? watch->exit_program : 0;
}

int kernel_watch_load(struct kernel_watch *watch, struct error *error)
{
	struct generator g;

	begin_program(&g, watch);
	check_state(&g);
	notify(&g, KERNEL_NOTICE_OBJECTS);
	watch->linker_program = load_watch(&g, bpf_uprobe_flags(&watch->features), error);
	if (watch->linker_program < 0)
		return watch->linker_program;
	begin_program(&g, watch);
	/* another program has its state elsewhere */
	bpf_write_value(&g.code, BPF_REG_7, offsetof(struct watched_process, state), 0, 8);
	notify(&g, KERNEL_NOTICE_PROGRAM);
	watch->exec_program = load_watch(&g, BPF_RAW, error);
	if (watch->exec_program < 0)
		return watch->exec_program;
	return watch->scope == KERNEL_SCOPE_FAMILY ? load_family_programs(watch, error) : 0;
}
