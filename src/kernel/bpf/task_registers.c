/* task_registers.c: see task_registers.h. The program is an iterator over all threads, which writes
 * the registers of one. */
#include "kernel/bpf/task_registers.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/btf_lookup.h"

enum {
	REGISTER_BYTES = TASK_REGISTERS * sizeof(uint64_t),
	CONTEXT_TASK = 8, /* offset of the task in struct bpf_iter__task, after its metadata */
	SEQUENCE = 0      /* offset of the output in struct bpf_iter_meta */
};

struct task_registers {
	int map; /* its value is the number of the thread */
	int program;
};

/* Writes the program. pid: where a task has its number. Returns as bpf_code_end(). */
static int write_program(struct bpf_code *code, int map, uint32_t pid)
{
	uint32_t out = bpf_label(code);

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	bpf_read(code, BPF_REG_7, BPF_REG_6, CONTEXT_TASK, 8);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_7, 0, out);
	bpf_read(code, BPF_REG_1, BPF_REG_7, (int)pid, 4);
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
	struct kernel_btf_query queries[] = {{.kind = KERNEL_BTF_FUNCTION, .name = "bpf_iter_task"},
		{.kind = KERNEL_BTF_MEMBER, .name = "task_struct", .member = "pid"}};
	struct bpf_function function = {.is_iterator = true};
	struct bpf_code code;
	int result;

	kernel_btf_find(queries, 2);
	if (!queries[0].is_found || !queries[1].is_found)
		return -ENOTSUP;
	function.number = queries[0].result;
	bpf_code_begin(&code);
	result = write_program(&code, map, queries[1].result);
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
