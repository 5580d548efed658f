/*
 * capture_argument.c: generates the instructions that read a probe's arguments and check its
 * conditions, and those that read memory of the process or of the kernel. See capture_generator.h.
 */
#include "kernel/capture/capture_generator.h"

enum { ERRNO_MAX = 4095 }; /* a failed system call returns -ERRNO_MAX to -1 */

int kernel_user_reader(const struct kernel_plan *plan)
{
	return plan->is_sample || plan->is_machine ? BPF_FUNC_probe_read_user
						   : BPF_FUNC_copy_from_user;
}

void kernel_generate_read(struct kernel_generator *g, int user_reader)
{
	struct bpf_code *code = g->code;
	uint32_t is_users = bpf_label(code), after = bpf_label(code);

	if (!g->plan->reads_kernel) {
		bpf_call(code, user_reader);
		return;
	}
	bpf_jump_if_value(code, BPF_JSGE, BPF_REG_3, 0, is_users);
	bpf_call(code,
		user_reader == BPF_FUNC_probe_read_user_str ? BPF_FUNC_probe_read_kernel_str
							    : BPF_FUNC_probe_read_kernel);
	bpf_jump(code, after);
	bpf_place(code, is_users);
	bpf_call(code, user_reader);
	bpf_place(code, after);
}

void kernel_generate_user_read(struct kernel_generator *g, uint32_t bytes)
{
	bpf_set(g->code, BPF_REG_2, bytes);
	bpf_call(g->code, kernel_user_reader(g->plan));
}

/* Leaves the address of a memory operand in R3. */
static void find_address(struct kernel_generator *g, const struct kernel_operand *operand)
{
	struct bpf_code *code = g->code;

	bpf_set(code, BPF_REG_3, (uint64_t)operand->value);
	if (operand->base != KERNEL_NO_REGISTER) {
		bpf_read(code, BPF_REG_1, BPF_REG_6, operand->base, 8);
		bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
	}
	if (operand->index != KERNEL_NO_REGISTER) {
		bpf_read(code, BPF_REG_1, BPF_REG_6, operand->index, 8);
		bpf_operate_value(code, BPF_MUL, BPF_REG_1, operand->scale);
		bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
	}
}

/* Leaves the result of the system call in R0, or its error number. */
static void read_result(struct kernel_generator *g, bool wants_error)
{
	struct bpf_code *code = g->code;
	uint32_t fails = bpf_label(code), after = bpf_label(code);

	bpf_read(code, BPF_REG_1, BPF_REG_10, stack_slot_place(&g->slots, STACK_SLOT_CONTEXT), 8);
	bpf_read(code, BPF_REG_0, BPF_REG_1, 8, 8);
	bpf_jump_if_value(code, BPF_JGE, BPF_REG_0, -ERRNO_MAX, fails);
	if (wants_error)
		bpf_set(code, BPF_REG_0, 0);
	bpf_jump(code, after);
	bpf_place(code, fails);
	bpf_operate_value(code, wants_error ? BPF_MUL : BPF_OR, BPF_REG_0, -1);
	bpf_place(code, after);
}

/* Leaves the field at the operand's offset from an argument of the tracepoint, or from the thread's
 * struct, in R0. */
static void read_field(struct kernel_generator *g, const struct kernel_operand *operand)
{
	const int value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	struct bpf_code *code = g->code;

	if (operand->base == KERNEL_NO_REGISTER) {
		bpf_call(code, BPF_FUNC_get_current_task);
		bpf_move(code, BPF_REG_3, BPF_REG_0);
	} else {
		bpf_read(code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&g->slots, STACK_SLOT_CONTEXT), 8);
		bpf_read(code, BPF_REG_3, BPF_REG_1, operand->base, 8);
	}
	for (unsigned i = operand->then ? 0 : 1; i < 2; i++) {
		bpf_operate_value(code, BPF_ADD, BPF_REG_3,
			i && operand->then ? (int32_t)operand->then - 1 : (int32_t)operand->value);
		bpf_write_value(code, BPF_REG_10, value, 0, 8);
		bpf_move(code, BPF_REG_1, BPF_REG_10);
		bpf_operate_value(code, BPF_ADD, BPF_REG_1, value);
		bpf_set(code, BPF_REG_2, i ? operand->size : 8u);
		bpf_call(code, BPF_FUNC_probe_read_kernel);
		bpf_read(code, BPF_REG_0, BPF_REG_10, value, 8);
		bpf_move(code, BPF_REG_3, BPF_REG_0);
	}
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}

/* Leaves an argument of the function in R0. The kernel's verifier knows it as a pointer and would
 * not allow arithmetic with it. So it is read from the context as memory. */
static void read_pointer(struct kernel_generator *g, const struct kernel_operand *operand)
{
	const int value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	struct bpf_code *code = g->code;

	bpf_write_value(code, BPF_REG_10, value, 0, 8);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, value);
	bpf_set(code, BPF_REG_2, 8);
	bpf_read(code, BPF_REG_3, BPF_REG_10, stack_slot_place(&g->slots, STACK_SLOT_CONTEXT), 8);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, operand->base);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_read(code, BPF_REG_0, BPF_REG_10, value, 8);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}

/* Turns a thread's exit_code in R0 into what its parent gets: CLD_EXITED, CLD_KILLED or
 * CLD_DUMPED. */
static void find_end(struct kernel_generator *g)
{
	enum { SIGNAL_BITS = 0x7f, DUMPED_BIT = 0x80, EXITED = 1, KILLED, DUMPED };
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_set(code, BPF_REG_0, EXITED);
	bpf_move(code, BPF_REG_2, BPF_REG_1);
	bpf_operate_value(code, BPF_AND, BPF_REG_2, SIGNAL_BITS);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_2, 0, after);
	bpf_set(code, BPF_REG_0, KILLED);
	bpf_operate_value(code, BPF_AND, BPF_REG_1, DUMPED_BIT);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_set(code, BPF_REG_0, DUMPED);
	bpf_place(code, after);
}

/* Leaves the struct task_struct of the thread whose number is in a register in R0; 0: there is
 * none, or it cannot be found. */
static void find_target(struct kernel_generator *g, const struct kernel_operand *operand)
{
	struct bpf_code *code = g->code;
	uint32_t is_current = bpf_label(code), after = bpf_label(code);
	int value;

	bpf_read(code, BPF_REG_1, BPF_REG_6, operand->base, 4);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, is_current);
	bpf_read(code, BPF_REG_2, BPF_REG_10, stack_slot_place(&g->slots, STACK_SLOT_IDS), 4);
	bpf_jump_if(code, BPF_JEQ, BPF_REG_1, BPF_REG_2, is_current);
	if (g->features->find_task) {
		bpf_call_kernel(code, g->features->find_task);
		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_0, 0, after);
		value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
		bpf_write(code, BPF_REG_10, value, BPF_REG_0, 8);
		bpf_move(code, BPF_REG_1, BPF_REG_0);
		bpf_call_kernel(code, g->features->release_task);
		bpf_read(code, BPF_REG_0, BPF_REG_10, value, 8);
		stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
	} else {
		bpf_set(code, BPF_REG_0, 0);
	}
	bpf_jump(code, after);
	bpf_place(code, is_current);
	bpf_call(code, BPF_FUNC_get_current_task);
	bpf_place(code, after);
}

/* Leaves a thread's priority in R0. For the kernel the lowest number is the highest priority. */
static void find_priority(struct kernel_generator *g, const struct kernel_operand *operand)
{
	enum { LEAST = 139 };
	struct bpf_code *code = g->code;
	int value;

	find_target(g, operand);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)operand->value);
	value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	bpf_write_value(code, BPF_REG_10, value, 0, 8);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, value);
	bpf_set(code, BPF_REG_2, 4);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_read(code, BPF_REG_1, BPF_REG_10, value, 4);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
	bpf_extend(code, BPF_REG_1, 4, true);
	bpf_set(code, BPF_REG_0, LEAST);
	bpf_operate(code, BPF_SUB, BPF_REG_0, BPF_REG_1);
}

static void point_to_thread(struct kernel_generator *g)
{
	bpf_set_map(g->code, BPF_REG_1, g->maps->noted);
	bpf_move(g->code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(g->code, BPF_ADD, BPF_REG_2, stack_slot_place(&g->slots, STACK_SLOT_IDS));
}

/* Leaves what kernel_generate_note() noted for the thread in R0. */
static void read_noted(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	point_to_thread(g);
	bpf_call(code, BPF_FUNC_map_lookup_elem);
	bpf_move(code, BPF_REG_1, BPF_REG_0);
	bpf_set(code, BPF_REG_0, (uint64_t)(int64_t)KERNEL_NOTHING_NOTED);
	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, after);
	bpf_read(code, BPF_REG_0, BPF_REG_1, 0, 8);
	bpf_place(code, after);
}

static void generate_operand(struct kernel_generator *g, const struct kernel_operand *operand)
{
	struct bpf_code *code = g->code;
	uint32_t after;
	int value;

	switch (operand->kind) {
	case KERNEL_OPERAND_CONSTANT:
		bpf_set(code, BPF_REG_0, (uint64_t)operand->value);
		break;
	case KERNEL_OPERAND_REGISTER:
		bpf_read(code, BPF_REG_0, BPF_REG_6, operand->base, 8);
		if (operand->shift)
			bpf_operate_value(code, BPF_RSH, BPF_REG_0, operand->shift);
		break;
	case KERNEL_OPERAND_MEMORY:
		g->reads_arguments = true;
		find_address(g, operand);
		value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
		bpf_move(code, BPF_REG_1, BPF_REG_10);
		bpf_operate_value(code, BPF_ADD, BPF_REG_1, value);
		bpf_write_value(code, BPF_REG_10, value, 0, 8);
		kernel_generate_user_read(g, operand->size);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, g->unreadable);
		bpf_read(code, BPF_REG_0, BPF_REG_10, value, 8);
		stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
		break;
	case KERNEL_OPERAND_ADDRESS:
		find_address(g, operand);
		bpf_move(code, BPF_REG_0, BPF_REG_3);
		break;
	case KERNEL_OPERAND_KERNEL_PC:
	case KERNEL_OPERAND_USER_PC:
		after = bpf_label(code);
		bpf_set(code, BPF_REG_0, 0);
		bpf_read(code, BPF_REG_1, BPF_REG_6, KERNEL_CS, 8);
		bpf_operate_value(code, BPF_AND, BPF_REG_1, KERNEL_PRIVILEGE_MASK);
		bpf_jump_if_value(code, operand->kind == KERNEL_OPERAND_USER_PC ? BPF_JEQ : BPF_JNE,
			BPF_REG_1, 0, after);
		bpf_read(code, BPF_REG_0, BPF_REG_6, KERNEL_RIP, 8);
		bpf_place(code, after);
		return;
	case KERNEL_OPERAND_RESULT:
	case KERNEL_OPERAND_ERRNO:
		read_result(g, operand->kind == KERNEL_OPERAND_ERRNO);
		return;
	case KERNEL_OPERAND_CONTEXT:
		bpf_read(code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&g->slots, STACK_SLOT_CONTEXT), 8);
		bpf_read(code, BPF_REG_0, BPF_REG_1, operand->base, 8);
		break;
	case KERNEL_OPERAND_POINTER:
		read_pointer(g, operand);
		break;
	case KERNEL_OPERAND_CURRENT:
		bpf_call(code, BPF_FUNC_get_current_task);
		return;
	case KERNEL_OPERAND_FIELD:
		read_field(g, operand);
		break;
	case KERNEL_OPERAND_TARGET:
		find_target(g, operand);
		return;
	case KERNEL_OPERAND_PRIORITY:
		find_priority(g, operand);
		return;
	case KERNEL_OPERAND_NOTED:
		read_noted(g);
		return;
	case KERNEL_OPERAND_END:
		read_field(g, operand);
		find_end(g);
		return;
	default:
		bpf_set(code, BPF_REG_0, 0);
		return;
	}
	bpf_extend(code, BPF_REG_0, operand->size, operand->is_signed);
}

void kernel_generate_argument(struct kernel_generator *g, unsigned argument)
{
	generate_operand(g, &g->plan->arguments[argument]);
}

void kernel_generate_conditions(struct kernel_generator *g)
{
	static const int opposite[] = {
		[KERNEL_EQUAL] = BPF_JNE, [KERNEL_DIFFERENT] = BPF_JEQ, [KERNEL_ABOVE] = BPF_JSLE};

	for (unsigned i = 0; i < KERNEL_CONDITIONS_MAX; i++) {
		const struct kernel_condition *condition = &g->plan->conditions[i];

		if (!condition->comparison)
			continue;
		generate_operand(g, &condition->operand);
		bpf_move(g->code, BPF_REG_7, BPF_REG_0);
		if (condition->mask)
			bpf_operate_value(g->code, BPF_AND, BPF_REG_7, (int32_t)condition->mask);
		generate_operand(g, &condition->other);
		bpf_jump_if(
			g->code, opposite[condition->comparison], BPF_REG_7, BPF_REG_0, g->done);
	}
}

void kernel_generate_note(struct kernel_generator *g)
{
	struct bpf_code *code = g->code;
	int value;

	kernel_generate_argument(g, 0);
	value = stack_slot_take(&g->slots, STACK_SLOT_VALUE);
	bpf_write(code, BPF_REG_10, value, BPF_REG_0, 8);
	point_to_thread(g);
	bpf_move(code, BPF_REG_3, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, value);
	bpf_set(code, BPF_REG_4, BPF_ANY);
	bpf_call(code, BPF_FUNC_map_update_elem);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}
