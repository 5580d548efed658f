/*
 * capture.c: see capture.h.
 *
 * A program that reads no user memory reserves its record in the ring and writes it there. A
 * program that does may sleep while a page is read, and other threads run meanwhile on the same
 * processor. So it first writes to its own thread's memory; after that, the size of what it has
 * read is known, too.
 *
 * The time is taken after the record has been reserved. So all records that are reserved after the
 * reader has read the clock have later times than the reader's.
 *
 * A sample (provider profile) interrupts whatever runs on its processor, perhaps a program of the
 * kind above. It never sleeps, and no sample interrupts another, so each processor has memory for
 * one. The registers are then those of the kernel or of the process. If they are the kernel's, the
 * process's own are where it entered the kernel.
 *
 * The programs for system calls never sleep either: the kernel runs them with preemption off, so no
 * other program runs in between. Strings that are not in memory then cannot be read.
 *
 * Registers: R6 the registers of the process or the sample, R7 the record, R8 the place of the next
 * part in it.
 */
#include "kernel/capture/capture.h"

#include <stddef.h>

#include "kernel/bpf/bpf_current.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/capture/cpu_time.h"

enum {
	CLOCK_TRIES = 2,
	COMPAT_BIT = 2 /* the kernel's TS_COMPAT */
};

/*
 * Leaves tid and pid on the stack. A thread that has no number in our pid namespace has pid 0, as
 * in /proc, and its number on the machine, negative, as tid, so that threads stay apart. While such
 * a thread runs, interrupts wake our threads and end our requests to devices. System calls and
 * samples are of one process, so those of processes without a number are not shown.
 */
static void find_ids(struct kernel_generator *g)
{
	const int ids = stack_slot_take(&g->slots, STACK_SLOT_IDS);
	struct bpf_code *code = g->code;
	uint32_t without = bpf_label(code), found = bpf_label(code);

	if (!g->features->other_namespace || !g->plan->is_machine || g->plan->is_call) {
		bpf_current_ids(code, g->features, ids, g->done);
		return;
	}
	bpf_current_ids(code, g->features, ids, without);
	bpf_jump(code, found);
	bpf_place(code, without);
	bpf_call(code, BPF_FUNC_get_current_pid_tgid);
	bpf_extend(code, BPF_REG_0, 4, true);
	bpf_operate_value(code, BPF_MUL, BPF_REG_0, -1);
	bpf_extend(code, BPF_REG_0, 4, false);
	bpf_write(code, BPF_REG_10, ids, BPF_REG_0, 8);
	bpf_place(code, found);
}

/* The same, but ends the program if the process is not wanted. */
static void identify(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	int ids;

	find_ids(g);
	ids = stack_slot_place(&g->slots, STACK_SLOT_IDS);
	bpf_read(code, BPF_REG_1, BPF_REG_10, ids + 4, 4);
	if (g->plan->pid)
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, (int32_t)g->plan->pid, g->done);
	if ((g->plan->is_call || g->plan->is_function) && g->maps->own_pid)
		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, (int32_t)g->maps->own_pid, g->done);
	if (!g->maps->members)
		return;
	bpf_set_map(code, BPF_REG_1, g->maps->members);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, ids + 4);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->done);
}

/* Notes that a site has been hit. Nearly always that is noted already, and the shared counter is
 * not written to. */
static void note_hit(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	if (!g->plan->hit)
		return;
	bpf_set_map_value(code, BPF_REG_1, g->maps->counters, 8 * g->plan->hit);
	bpf_read(code, BPF_REG_2, BPF_REG_1, 0, 8);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_2, 0, after);
	bpf_write_value(code, BPF_REG_1, 0, 1, 8);
	bpf_place(code, after);
}

/* R6 = the registers with which the thread has entered the kernel. At a system call, R1 = its
 * number. */
static void find_registers(struct kernel_generator *g)
{
	const int context = stack_slot_take(&g->slots, STACK_SLOT_CONTEXT);
	struct bpf_code *code = g->code;

	bpf_write(code, BPF_REG_10, context, BPF_REG_6, 8);
	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_call(code, BPF_FUNC_task_pt_regs);
	bpf_move(code, BPF_REG_6, BPF_REG_0);
	/* At its entry a tracer may have changed it after it was noted. */
	if (!g->plan->is_call)
		return;
	if (g->plan->is_return) {
		bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_CALL, 8);
	} else {
		bpf_read(code, BPF_REG_1, BPF_REG_10, context, 8);
		bpf_read(code, BPF_REG_1, BPF_REG_1, 8, 8);
	}
}

/* Leaves the system call's site; ends the program if the call is not wanted, or is that of a
 * 32-bit program, which has other numbers. */
static void find_call(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;

	find_registers(g);
	if (g->maps->layout.has_compat) {
		bpf_read(code, BPF_REG_2, BPF_REG_7, (int)g->maps->layout.compat, 4);
		bpf_operate_value(code, BPF_AND, BPF_REG_2, COMPAT_BIT);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_2, 0, g->done);
	}
	bpf_jump_if_value(code, BPF_JGE, BPF_REG_1, KERNEL_CALLS, g->done);
	bpf_operate_value(code, BPF_LSH, BPF_REG_1, 2);
	bpf_set_map_value(code, BPF_REG_2, g->maps->calls, 0);
	bpf_operate(code, BPF_ADD, BPF_REG_2, BPF_REG_1);
	bpf_read(code, BPF_REG_1, BPF_REG_2, 0, 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, g->done);
	bpf_operate_value(code, BPF_SUB, BPF_REG_1, 1);
	bpf_write(code, BPF_REG_10, stack_slot_take(&g->slots, STACK_SLOT_SITE), BPF_REG_1, 8);
}

/* Leaves the site's number in its slot; find_call() does that for a system call. */
static void find_site(struct kernel_generator *g)
{
	int site;

	if (g->plan->is_call)
		return;
	site = stack_slot_take(&g->slots, STACK_SLOT_SITE);
	if (g->plan->is_machine) {
		bpf_write_value(g->code, BPF_REG_10, site, (int32_t)g->plan->number - 1, 8);
		return;
	}
	bpf_move(g->code, BPF_REG_1, BPF_REG_6);
	bpf_call(g->code, BPF_FUNC_get_attach_cookie);
	bpf_write(g->code, BPF_REG_10, site, BPF_REG_0, 8);
}

void kernel_need_site(struct kernel_generator *g)
{
	if (!g->has_site)
		find_site(g);
}

void kernel_leave_site(struct kernel_generator *g)
{
	if (!g->has_site)
		stack_slot_give_back(&g->slots, STACK_SLOT_SITE);
}

static void begin_record(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;

	if (g->is_staged) {
		kernel_generate_staging(g, g->lost);
		return;
	}
	bpf_set_map(code, BPF_REG_1, g->maps->ring);
	bpf_set(code, BPF_REG_2, g->plan->limit);
	bpf_set(code, BPF_REG_3, 0);
	bpf_call(code, BPF_FUNC_ringbuf_reserve);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, g->lost);
	bpf_move(code, BPF_REG_7, BPF_REG_0);
}

void kernel_generate_staging(struct kernel_generator *g, uint32_t without)
{
	struct bpf_code *code = g->code;

	if (g->plan->is_sample || g->plan->is_machine) {
		const int key = stack_slot_take(&g->slots, STACK_SLOT_VALUE);

		bpf_write_value(code, BPF_REG_10, key, 0, 4);
		bpf_set_map(code, BPF_REG_1, g->maps->sample);
		bpf_move(code, BPF_REG_2, BPF_REG_10);
		bpf_operate_value(code, BPF_ADD, BPF_REG_2, key);
		bpf_call(code, BPF_FUNC_map_lookup_elem);
		stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, without);
	} else {
		bpf_current_value(code, g->maps->task, without);
	}
	bpf_move(code, BPF_REG_7, BPF_REG_0);
}

void kernel_generate_time(struct kernel_generator *g)
{
	bpf_call(g->code, BPF_FUNC_ktime_get_ns);
	bpf_write(g->code, BPF_REG_7, offsetof(struct kernel_head, time), BPF_REG_0, 8);
}

void kernel_generate_head(struct kernel_generator *g)
{
	const int ids = stack_slot_place(&g->slots, STACK_SLOT_IDS);
	struct bpf_code *code = g->code;

	bpf_read(code, BPF_REG_0, BPF_REG_10, stack_slot_place(&g->slots, STACK_SLOT_SITE), 8);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_head, site), BPF_REG_0, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, ids, 4);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_head, tid), BPF_REG_0, 4);
	bpf_read(code, BPF_REG_0, BPF_REG_10, ids + 4, 4);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_head, pid), BPF_REG_0, 4);
	bpf_call(code, BPF_FUNC_get_smp_processor_id);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_head, cpu), BPF_REG_0, 2);
	bpf_write_value(code, BPF_REG_7, offsetof(struct kernel_head, kind), 0, 2);
}

static void write_arguments(struct kernel_generator *g)
{
	for (unsigned i = 0; i < g->plan->argument_count; i++) {
		kernel_generate_argument(g, i);
		bpf_write(g->code, BPF_REG_7, (int)kernel_argument_place(i), BPF_REG_0, 8);
	}
}

/* Sets a register to an address in the record. */
static void point_to_place(struct kernel_generator *g, int to, uint32_t place)
{
	bpf_move(g->code, to, BPF_REG_7);
	bpf_operate_value(g->code, BPF_ADD, to, (int32_t)place);
}

/* Copies the registers with which the process has entered the kernel; zeroes if it never entered
 * it. */
static void write_entry_registers(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	int place = (int)g->plan->registers;
	uint32_t after = bpf_label(code);

	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_call(code, BPF_FUNC_task_pt_regs);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	point_to_place(g, BPF_REG_1, g->plan->registers);
	bpf_set(code, BPF_REG_2, KERNEL_REGISTERS_BYTES);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_read(code, BPF_REG_1, BPF_REG_7, place + KERNEL_CS, 8);
	bpf_operate_value(code, BPF_AND, BPF_REG_1, KERNEL_PRIVILEGE_MASK);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, 0, after);
	for (int i = 0; i < KERNEL_REGISTERS_BYTES; i += 8)
		bpf_write_value(code, BPF_REG_7, place + i, 0, 8);
	bpf_place(code, after);
}

static void write_registers(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	uint32_t in_process = bpf_label(code), after = bpf_label(code);

	if (!g->plan->has_registers)
		return;
	if (g->plan->is_call) {
		point_to_place(g, BPF_REG_1, g->plan->registers);
		bpf_set(code, BPF_REG_2, KERNEL_REGISTERS_BYTES);
		bpf_move(code, BPF_REG_3, BPF_REG_6);
		bpf_call(code, BPF_FUNC_probe_read_kernel);
		return;
	}
	if (g->plan->is_machine) {
		write_entry_registers(g);
		return;
	}
	if (g->plan->is_sample) {
		bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_CS, 8);
		bpf_operate_value(code, BPF_AND, BPF_REG_1, KERNEL_PRIVILEGE_MASK);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_1, 0, in_process);
		write_entry_registers(g);
		bpf_jump(code, after);
	}
	bpf_place(code, in_process);
	for (int i = 0; i < KERNEL_REGISTERS_BYTES; i += 8) {
		bpf_read(code, BPF_REG_0, BPF_REG_6, i, 8);
		bpf_write(code, BPF_REG_7, (int)g->plan->registers + i, BPF_REG_0, 8);
	}
	bpf_place(code, after);
}

/* Reads the kernel's memory at an offset from R3 to R0, extended from its size. */
static void read_to_value(struct kernel_generator *g, uint32_t offset, uint32_t bytes)
{
	const int value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);

	bpf_read_kernel(g->code, BPF_REG_0, offset, bytes, value);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}

/* Reads a member of the struct pid of the process's parent to R0. */
static void read_of_parent(struct kernel_generator *g, uint32_t offset, uint32_t bytes)
{
	const struct kernel_layout *layout = &g->maps->layout;
	struct bpf_code *code = g->code;

	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_read(code, BPF_REG_3, BPF_REG_0, (int)layout->real_parent, 8);
	bpf_read(code, BPF_REG_3, BPF_REG_3, (int)layout->number.signal, 8);
	bpf_read(code, BPF_REG_3, BPF_REG_3, (int)layout->number.process, 8);
	read_to_value(g, offset, bytes);
}

/* Finds the number at our level, if the namespace at that level is ours. */
static void find_parent(struct kernel_generator *g)
{
	const struct kernel_number_layout *layout = &g->maps->layout.number;
	const uint32_t level = g->features->namespace_level;
	const uint32_t number = layout->numbers + level * KERNEL_NUMBER_BYTES;
	struct bpf_code *code = g->code;
	uint32_t none = bpf_label(code), after = bpf_label(code);

	read_of_parent(g, layout->level, 4);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_0, (int32_t)level, none);
	read_of_parent(g, number + KERNEL_NUMBER_NAMESPACE, 8);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	read_to_value(g, layout->namespace_inode, 4);
	bpf_set(code, BPF_REG_1, g->features->namespace_inode);
	bpf_jump_if(code, BPF_JNE, BPF_REG_0, BPF_REG_1, none);
	read_of_parent(g, number, 4);
	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_jump(code, after);
	bpf_place(code, none);
	bpf_set(code, BPF_REG_1, 0);
	bpf_place(code, after);
}

void kernel_generate_parent(struct kernel_generator *g)
{
	const struct kernel_layout *layout = &g->maps->layout;
	struct bpf_code *code = g->code;

	if (!g->features->other_namespace) {
		bpf_call(code, BPF_FUNC_get_current_task_btf);
		bpf_read(code, BPF_REG_1, BPF_REG_0, (int)layout->real_parent, 8);
		bpf_read(code, BPF_REG_1, BPF_REG_1, (int)layout->tgid, 4);
	} else if (layout->number.is_known && g->features->namespace_level) {
		find_parent(g);
	} else {
		bpf_set(code, BPF_REG_1, 0);
	}
}

/* Writes the process's identity: what the kernel shows of its first thread, and its users. */
static void write_identity(struct kernel_generator *g)
{
	const struct kernel_layout *layout = &g->maps->layout;
	struct bpf_code *code = g->code;
	const int place = (int)g->plan->identity;
	const int name = place + (int)offsetof(struct kernel_identity, name);

	if (!g->plan->has_identity)
		return;
	bpf_call(code, BPF_FUNC_get_current_uid_gid);
	bpf_write(
		code, BPF_REG_7, place + (int)offsetof(struct kernel_identity, uid), BPF_REG_0, 8);
	for (int i = offsetof(struct kernel_identity, ppid);
		i < (int)sizeof(struct kernel_identity); i += 8)
		bpf_write_value(code, BPF_REG_7, place + i, 0, 8);
	if (!layout->has_task)
		return;
	kernel_generate_parent(g);
	bpf_write(
		code, BPF_REG_7, place + (int)offsetof(struct kernel_identity, ppid), BPF_REG_1, 4);
	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_read(code, BPF_REG_3, BPF_REG_0, (int)layout->group_leader, 8);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)layout->name);
	point_to_place(g, BPF_REG_1, (uint32_t)name);
	bpf_set(code, BPF_REG_2, sizeof(((struct kernel_identity *)0)->name));
	bpf_call(code, BPF_FUNC_probe_read_kernel);
}

void kernel_generate_clock(struct kernel_generator *g, int base, int place, int task)
{
	const struct kernel_layout *layout = &g->maps->layout;
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	for (unsigned i = 0; i < CLOCK_TRIES; i++) {
		bpf_call(code, BPF_FUNC_get_current_task_btf);
		bpf_move(code, task, BPF_REG_0);
		bpf_read(code, BPF_REG_1, task, (int)layout->since, 8);
		bpf_write(code, base, place + (int)offsetof(struct kernel_clock, since), BPF_REG_1,
			8);
		bpf_read(code, BPF_REG_1, task, (int)layout->runtime, 8);
		bpf_write(code, base, place + (int)offsetof(struct kernel_clock, runtime),
			BPF_REG_1, 8);
		bpf_read(code, BPF_REG_2, task, (int)layout->queue, 8);
		bpf_read(code, BPF_REG_2, BPF_REG_2, (int)layout->processor, 8);
		bpf_read(code, BPF_REG_1, BPF_REG_2, (int)layout->clock, 8);
		bpf_write(code, base, place + (int)offsetof(struct kernel_clock, clock), BPF_REG_1,
			8);
		bpf_read(code, BPF_REG_1, BPF_REG_2, (int)layout->task_clock, 8);
		bpf_write(code, base, place + (int)offsetof(struct kernel_clock, task_clock),
			BPF_REG_1, 8);
		bpf_call(code, BPF_FUNC_ktime_get_ns);
		bpf_write(
			code, base, place + (int)offsetof(struct kernel_clock, now), BPF_REG_0, 8);
		bpf_read(code, BPF_REG_1, task, (int)layout->since, 8);
		bpf_read(code, BPF_REG_2, base, place + (int)offsetof(struct kernel_clock, since),
			8);
		bpf_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_2, after);
	}
	bpf_place(code, after);
}

static void write_thread(struct kernel_generator *g)
{
	if (!g->plan->has_thread)
		return;
	bpf_call(g->code, BPF_FUNC_get_current_task);
	bpf_write(g->code, BPF_REG_7, (int)g->plan->thread, BPF_REG_0, 8);
}

/* Leaves in R2 whether submitting a record should wake the reader. */
static void choose_wakeup(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_set_map(code, BPF_REG_1, g->maps->ring);
	bpf_set(code, BPF_REG_2, BPF_RB_AVAIL_DATA);
	bpf_call(code, BPF_FUNC_ringbuf_query);
	bpf_set(code, BPF_REG_2, BPF_RB_NO_WAKEUP);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_0, (int32_t)g->maps->wake_bytes, after);
	bpf_set(code, BPF_REG_2, BPF_RB_FORCE_WAKEUP);
	bpf_place(code, after);
}

static void point_to_dynptr(struct kernel_generator *g, int to)
{
	bpf_move(g->code, to, BPF_REG_10);
	bpf_operate_value(g->code, BPF_ADD, to, stack_slot_place(&g->slots, STACK_SLOT_DYNPTR));
}

void kernel_generate_output(struct kernel_generator *g, uint32_t full)
{
	struct bpf_code *code = g->code;
	uint32_t fail = bpf_label(code), done = bpf_label(code);

	stack_slot_take(&g->slots, STACK_SLOT_DYNPTR);
	bpf_set_map(code, BPF_REG_1, g->maps->ring);
	bpf_move(code, BPF_REG_2, BPF_REG_8);
	bpf_set(code, BPF_REG_3, 0);
	point_to_dynptr(g, BPF_REG_4);
	bpf_call(code, BPF_FUNC_ringbuf_reserve_dynptr);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, fail);
	kernel_generate_time(g);
	point_to_dynptr(g, BPF_REG_1);
	bpf_set(code, BPF_REG_2, 0);
	bpf_move(code, BPF_REG_3, BPF_REG_7);
	bpf_move(code, BPF_REG_4, BPF_REG_8);
	bpf_set(code, BPF_REG_5, 0);
	bpf_call(code, BPF_FUNC_dynptr_write);
	choose_wakeup(g);
	point_to_dynptr(g, BPF_REG_1);
	bpf_call(code, BPF_FUNC_ringbuf_submit_dynptr);
	bpf_jump(code, done);
	bpf_place(code, fail); /* a reservation that failed must be given back, too */
	bpf_set(code, BPF_REG_2, 0);
	point_to_dynptr(g, BPF_REG_1);
	bpf_call(code, BPF_FUNC_ringbuf_discard_dynptr);
	stack_slot_give_back(&g->slots, STACK_SLOT_DYNPTR);
	bpf_jump(code, full);
	bpf_place(code, done);
}

static void submit(struct kernel_generator *g)
{
	choose_wakeup(g);
	bpf_move(g->code, BPF_REG_1, BPF_REG_7);
	bpf_call(g->code, BPF_FUNC_ringbuf_submit);
}

/* Adds 1 to a counter; changes R0 and R1. */
static void kernel_generate_count(struct kernel_generator *g, unsigned counter)
{
	struct bpf_code *code = g->code;

	bpf_set_map_value(code, BPF_REG_1, g->maps->counters, 8 * counter);
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
}

void kernel_generate_loss(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	kernel_need_site(g);
	bpf_read(code, BPF_REG_2, BPF_REG_10, stack_slot_place(&g->slots, STACK_SLOT_SITE), 8);
	kernel_leave_site(g);
	bpf_operate_value(code, BPF_SUB, BPF_REG_2, (int32_t)g->maps->first_site);
	bpf_jump_if_value(code, BPF_JGE, BPF_REG_2, (int32_t)g->maps->site_count, after);
	bpf_operate_value(code, BPF_LSH, BPF_REG_2, 3);
	bpf_set_map_value(code, BPF_REG_1, g->maps->counters, 8 * KERNEL_COUNTER_SITES);
	bpf_operate(code, BPF_ADD, BPF_REG_1, BPF_REG_2);
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD, BPF_REG_1, 0, BPF_REG_0);
	kernel_generate_count(g, KERNEL_COUNTER_LOST);
	bpf_place(code, after);
}

static void count_losses(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;

	/* The kernel refuses instructions that nothing leads to. */
	if (g->reads_arguments) {
		bpf_place(code, g->unreadable);
		kernel_generate_count(g, KERNEL_COUNTER_UNREADABLE);
		bpf_jump(code, g->lost);
	}
	bpf_place(code, g->lost);
	kernel_generate_loss(g);
}

static void ship(struct kernel_generator *g)
{
	begin_record(g);
	if (!g->is_staged)
		kernel_generate_time(g);
	kernel_generate_head(g);
	if (g->plan->has_cpu_clock) /* before anything that may sleep */
		kernel_generate_clock(g, BPF_REG_7, (int)g->plan->cpu_clock, BPF_REG_8);
	write_arguments(g);
	write_identity(g);
	write_registers(g);
	write_thread(g);
	bpf_set(g->code, BPF_REG_8, g->plan->begin);
	kernel_generate_parts(g);
	if (g->maps->clause_code)
		g->maps->clause_code->follow(g);
	if (g->is_staged)
		kernel_generate_output(g, g->lost);
	else
		submit(g);
}

static void generate_clauses(struct kernel_generator *g, unsigned what)
{
	if (g->maps->clause_code)
		g->maps->clause_code->carry_out(g, what);
}

/* Records the event if a clause needs the record; carries out the other clauses after that. */
static void ship_first(struct kernel_generator *g)
{
	uint32_t end = g->done;

	g->done = bpf_label(g->code);
	generate_clauses(g, KERNEL_CLAUSES_FILTER);
	ship(g);
	bpf_jump(g->code, g->done);
	count_losses(g);
	bpf_place(g->code, g->done);
	g->done = end;
	g->lost = bpf_label(g->code);
	g->unreadable = bpf_label(g->code);
	g->reads_arguments = false;
	generate_clauses(g, KERNEL_CLAUSES_CARRY_OUT);
}

static void check_open(struct kernel_generator *g)
{
	const int open = g->plan->is_guarded ? KERNEL_COUNTER_OPEN_GUARDED : KERNEL_COUNTER_OPEN;

	bpf_set_map_value(g->code, BPF_REG_1, g->maps->counters, 8 * open);
	bpf_read(g->code, BPF_REG_1, BPF_REG_1, 0, 8);
	bpf_jump_if_value(g->code, BPF_JEQ, BPF_REG_1, 0, g->done);
}

void kernel_capture_generate(struct bpf_code *code, const struct kernel_plan *plan,
	const struct kernel_maps *maps, const struct bpf_features *features)
{
	struct kernel_generator g = {.code = code,
		.plan = plan,
		.maps = maps,
		.features = features,
		.is_staged = plan->sleeps || plan->limit != plan->begin};
	bool ships = plan->ships;

	g.done = bpf_label(code);
	g.lost = bpf_label(code);
	g.unreadable = bpf_label(code);
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	identify(&g);
	if (plan->is_call)
		find_call(&g);
	else if (plan->is_machine)
		find_registers(&g);
	kernel_generate_conditions(&g);
	check_open(&g);
	if (plan->notes)
		kernel_generate_note(&g);
	note_hit(&g);
	g.has_site = plan->is_call || plan->ships || plan->names_site;
	if (g.has_site)
		find_site(&g);
	if (ships && plan->ships_first) {
		ship_first(&g);
		ships = false;
	} else {
		generate_clauses(&g, KERNEL_CLAUSES_FILTER | KERNEL_CLAUSES_CARRY_OUT);
	}
	if (ships)
		ship(&g);
	if (ships || g.reads_arguments) {
		bpf_jump(code, g.done);
		count_losses(&g);
	}
	bpf_place(code, g.done);
	bpf_set(code, BPF_REG_0, 0);
	bpf_exit(code);
	stack_slot_give_back(&g.slots, STACK_SLOT_IDS);
	if (g.has_site)
		stack_slot_give_back(&g.slots, STACK_SLOT_SITE);
	if (plan->is_machine)
		stack_slot_give_back(&g.slots, STACK_SLOT_CONTEXT);
	code->is_faulty |= !stack_slots_end(&g.slots);
}
