/* task_registers.c: see task_registers.h. The program is an iterator over all threads, which writes
 * the registers of one. */
#include "kernel/bpf/task_registers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/bpf/bpf_namespace.h"
#include "kernel/bpf/btf_lookup.h"
#include "kernel/bpf/task_layout.h"

enum {
	REGISTER_BYTES = TASK_REGISTERS * sizeof(uint64_t),
	CONTEXT_TASK = 8, /* offset of the task in struct bpf_iter__task, after its metadata */
	SEQUENCE = 0,     /* offset of the output in struct bpf_iter_meta */
	PLACE = -8        /* on the program's stack */
};

struct task_registers {
	int map; /* its value is the number of the thread */
	int program;
};

/* Reads the number of the task in R7 to R1. All tasks of the iterator are in our namespace. */
static void write_number(struct bpf_code *code, const struct bpf_features *features,
	const struct kernel_watch_layout *layout)
{
	if (!features->other_namespace) {
		bpf_read(code, BPF_REG_1, BPF_REG_7, (int)layout->pid, 4);
		return;
	}
	bpf_move(code, BPF_REG_3, BPF_REG_7);
	bpf_read_kernel(code, BPF_REG_3, layout->identity, 8, PLACE);
	bpf_read_kernel(code, BPF_REG_3,
		layout->numbers + features->namespace_level * KERNEL_NUMBER_BYTES, 4, PLACE);
	bpf_move(code, BPF_REG_1, BPF_REG_3);
}

/* Returns as bpf_code_end(). */
static int write_program(struct bpf_code *code, int map, const struct bpf_features *features,
	const struct kernel_watch_layout *layout)
{
	uint32_t out = bpf_label(code);

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	bpf_read(code, BPF_REG_7, BPF_REG_6, CONTEXT_TASK, 8);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_7, 0, out);
	write_number(code, features, layout);
	bpf_set_map_value(code, BPF_REG_2, map, 0);
	bpf_read(code, BPF_REG_2, BPF_REG_2, 0, 4);
	bpf_jump_if(code, BPF_JNE, BPF_REG_1, BPF_REG_2, out);
	bpf_move(code, BPF_REG_1, BPF_REG_7);
	bpf_call(code, BPF_FUNC_task_pt_regs);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, -(int)REGISTER_BYTES);
	bpf_set(code, BPF_REG_2, REGISTER_BYTES);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, out);
	bpf_read(code, BPF_REG_1, BPF_REG_6, 0, 8);
	bpf_read(code, BPF_REG_1, BPF_REG_1, SEQUENCE, 8);
	bpf_move(code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, -(int)REGISTER_BYTES);
	bpf_set(code, BPF_REG_3, REGISTER_BYTES);
	bpf_call(code, BPF_FUNC_seq_write);
	bpf_place(code, out);
	bpf_set(code, BPF_REG_0, 0);
	bpf_exit(code);
	return bpf_code_end(code);
}

static int load_program(int map)
{
	struct kernel_btf_query query = {.kind = KERNEL_BTF_FUNCTION, .name = "bpf_iter_task"};
	struct bpf_function function = {.is_iterator = true};
	struct kernel_watch_layout layout;
	struct bpf_features features = {0};
	struct bpf_code code;
	int result;

	kernel_btf_find(&query, 1);
	kernel_layout_find_watch(&layout);
	bpf_namespace_find(&features);
	if (!query.is_found || !layout.has_task ||
		(features.other_namespace && !features.namespace_level))
		return -ENOTSUP;
	function.number = query.result;
	bpf_code_begin(&code);
	result = write_program(&code, map, &features, &layout);
	if (!result)
		result = bpf_try_load(code.instructions, code.count, 0, &function);
	bpf_code_free(&code);
	return result;
}

int task_registers_open(struct task_registers **opened)
{
	struct task_registers *registers;

	*opened = NULL;
#ifndef __x86_64__
	return -ENOTSUP;
#endif
	registers = malloc(sizeof(*registers));
	if (!registers)
		return -ENOMEM;
	registers->map = bpf_map(BPF_MAP_TYPE_ARRAY, sizeof(uint32_t), sizeof(uint64_t), 1, 0);
	registers->program = registers->map < 0 ? registers->map : load_program(registers->map);
	if (registers->program < 0) {
		int result = registers->program;

		task_registers_close(registers);
		return result;
	}
	*opened = registers;
	return 0;
}

void task_registers_close(struct task_registers *registers)
{
	if (!registers)
		return;
	if (registers->map >= 0)
		close(registers->map);
	if (registers->program >= 0)
		close(registers->program);
	free(registers);
}

int task_registers_read(
	struct task_registers *registers, uint32_t tid, uint64_t values[TASK_REGISTERS])
{
	const uint64_t wanted = tid;
	const uint32_t key = 0;
	int result = bpf_map_set(registers->map, &key, &wanted);

	if (!result)
		result = bpf_iterate(registers->program, values, REGISTER_BYTES);
	if (result < 0)
		return result;
	return result == REGISTER_BYTES ? 0 : -ENOENT;
}
