/* bpf_current.c: see bpf_current.h. */
#include "kernel/bpf/bpf_current.h"

#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"

/* Leaves the thread's struct pid in R3. */
static void find_thread(struct bpf_code *code, const struct bpf_features *features)
{
	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_read(code, BPF_REG_3, BPF_REG_0, (int)features->numbers.thread, 8);
}

/* Leaves the struct pid of the thread's process in R3. */
static void find_process(struct bpf_code *code, const struct bpf_features *features)
{
	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_read(code, BPF_REG_3, BPF_REG_0, (int)features->numbers.signal, 8);
	bpf_read(code, BPF_REG_3, BPF_REG_3, (int)features->numbers.process, 8);
}

/* Where a struct pid has its number at our level. */
static uint32_t number_at(const struct bpf_features *features)
{
	return features->numbers.numbers + features->namespace_level * KERNEL_NUMBER_BYTES;
}

/* Reads the number of the struct pid in R3 to a place on the stack. */
static void read_number(struct bpf_code *code, const struct bpf_features *features, int place)
{
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)number_at(features));
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, place);
	bpf_set(code, BPF_REG_2, 4);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
}

/* The same as bpf_current_ids() for a thread in a namespace within ours, of which the kernel's
 * function says nothing. */
static void find_within(
	struct bpf_code *code, const struct bpf_features *features, int place, uint32_t without)
{
	const struct kernel_number_layout *layout = &features->numbers;

	find_thread(code, features);
	bpf_read_kernel(code, BPF_REG_1, layout->level, 4, place);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_1, (int32_t)features->namespace_level, without);
	find_thread(code, features);
	bpf_read_kernel(code, BPF_REG_3, number_at(features) + KERNEL_NUMBER_NAMESPACE, 8, place);
	bpf_read_kernel(code, BPF_REG_1, layout->namespace_inode, 4, place);
	bpf_set(code, BPF_REG_2, features->namespace_inode);
	bpf_jump_if(code, BPF_JNE, BPF_REG_1, BPF_REG_2, without);
	find_thread(code, features);
	read_number(code, features, place);
	find_process(code, features);
	read_number(code, features, place + 4);
}

void bpf_current_ids(
	struct bpf_code *code, const struct bpf_features *features, int place, uint32_t without)
{
	if (!features->other_namespace) {
		bpf_call(code, BPF_FUNC_get_current_pid_tgid);
		bpf_write(code, BPF_REG_10, place, BPF_REG_0, 8);
		return;
	}
	bpf_set(code, BPF_REG_1, features->namespace_device);
	bpf_set(code, BPF_REG_2, features->namespace_inode);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, place);
	bpf_set(code, BPF_REG_4, 8);
	bpf_write_value(code, BPF_REG_10, place, 0, 8);
	bpf_call(code, BPF_FUNC_get_ns_current_pid_tgid);
	if (features->numbers.is_known) {
		uint32_t found = bpf_label(code);

		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, found);
		find_within(code, features, place, without);
		bpf_place(code, found);
	} else {
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, without);
	}
}

void bpf_current_value(struct bpf_code *code, int map, uint32_t without)
{
	bpf_call(code, BPF_FUNC_get_current_task_btf);
	bpf_set_map(code, BPF_REG_1, map);
	bpf_move(code, BPF_REG_2, BPF_REG_0);
	bpf_set(code, BPF_REG_3, 0);
	bpf_set(code, BPF_REG_4, BPF_LOCAL_STORAGE_GET_F_CREATE);
	bpf_call(code, BPF_FUNC_task_storage_get);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, without);
}
