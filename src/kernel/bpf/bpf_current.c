/* bpf_current.c: see bpf_current.h. */
#include "kernel/bpf/bpf_current.h"

#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"

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
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, without);
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
