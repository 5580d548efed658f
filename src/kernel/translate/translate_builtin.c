/*
 * translate_builtin.c: see translate_builtin.h. What the program has already read, such as the
 * time, is taken from its stack or its frame, so that all clauses see the same.
 */
#include "kernel/translate/translate_builtin.h"

void translator_read_builtin(struct translator *t, const struct d_instruction *at)
{
	struct held held = {.kind = HELD_INTEGER};

	switch (at->immediate) {
	case D_BUILTIN_PID:
		bpf_read(t->code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&t->g->slots, STACK_SLOT_IDS) + 4, 4);
		break;
	case D_BUILTIN_TID:
		held.is_thread = true;
		bpf_read(t->code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&t->g->slots, STACK_SLOT_IDS), 4);
		break;
	case D_BUILTIN_CPU:
		bpf_call(t->code, BPF_FUNC_get_smp_processor_id);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		break;
	case D_BUILTIN_UID:
	case D_BUILTIN_GID:
		bpf_call(t->code, BPF_FUNC_get_current_uid_gid);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		if (at->immediate == D_BUILTIN_UID)
			bpf_extend(t->code, BPF_REG_1, 4, false);
		else
			bpf_operate_value(t->code, BPF_RSH, BPF_REG_1, 32);
		break;
	case D_BUILTIN_ERRNO: /* of a system call that returns */
		bpf_set(t->code, BPF_REG_0, 0);
		if (t->g->plan->is_return)
			kernel_generate_argument(t->g, KERNEL_ERRNO_ARGUMENT);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		break;
	case D_BUILTIN_EXECNAME:
		if (t->program->options.strsize < KERNEL_EXECNAME_BYTES)
			translator_refuse(t);
		t->now.registers[at->a] = (struct held){.kind = HELD_EXECNAME};
		return;
	case D_BUILTIN_TIMESTAMP:
		t->found->looks_at_time = true;
		bpf_read(t->code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&t->g->slots, STACK_SLOT_TIME), 8);
		break;
	case D_BUILTIN_WALLTIMESTAMP:
		t->found->looks_at_time = true;
		bpf_set_map_value(t->code, BPF_REG_1, t->reduction->clocks, 8 * KERNEL_CLOCK_WALL);
		bpf_read(t->code, BPF_REG_1, BPF_REG_1, 0, 8);
		bpf_read(t->code, BPF_REG_2, BPF_REG_10,
			stack_slot_place(&t->g->slots, STACK_SLOT_TIME), 8);
		bpf_operate(t->code, BPF_ADD, BPF_REG_1, BPF_REG_2);
		break;
	case D_BUILTIN_VTIMESTAMP:
		bpf_read(t->code, BPF_REG_1, KERNEL_FRAME, translator_place(t->reduction->cpu_time),
			8);
		break;
	case D_BUILTIN_PPID:
		t->code->failed |= !t->g->maps->layout.has_task && !t->is_trial;
		kernel_generate_parent(t->g);
		break;
	case D_BUILTIN_UREGS:
		if (KERNEL_WORD * at->b < KERNEL_REGISTERS_BYTES)
			bpf_read(t->code, BPF_REG_1, BPF_REG_6, KERNEL_WORD * at->b, 8);
		else
			bpf_set(t->code, BPF_REG_1, 0);
		break;
	case D_BUILTIN_CURTHREAD:
	case D_BUILTIN_PROCESS:
	case D_BUILTIN_THREAD:
	case D_BUILTIN_FILES:
		bpf_call(t->code, BPF_FUNC_get_current_task);
		bpf_move(t->code, BPF_REG_1, BPF_REG_0);
		break;
	case D_BUILTIN_IPL:
		translator_store_constant(t, at->a, 0);
		return;
	case D_BUILTIN_PROBEPROV:
	case D_BUILTIN_PROBEMOD:
	case D_BUILTIN_PROBEFUNC:
	case D_BUILTIN_PROBENAME:
		t->now.registers[at->a] = (struct held){.kind = HELD_NAME, .number = at->immediate};
		return;
	default:
		translator_refuse(t);
		return;
	}
	translator_store(t, at->a, BPF_REG_1);
	t->now.registers[at->a] = held;
}
