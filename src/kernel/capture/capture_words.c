/*
 * capture_words.c: see capture_words.h. The words are in the process's memory, between two
 * addresses that its struct mm_struct has. They are read without waiting for a page, since a
 * program at a tracepoint must not sleep.
 */
#include "kernel/capture/capture_words.h"

#include "base/arena.h"
#include "base/command_line.h"
#include "kernel/capture/capture_generator.h"
#include "usdt/elf/btf.h"

void kernel_words_find(struct kernel_words_layout *layout, struct btf *btf)
{
	layout->is_found = !btf_offset(btf, "task_struct", "mm", &layout->memory, NULL) &&
		!btf_offset(btf, "mm_struct", "arg_start", &layout->begin, NULL) &&
		!btf_offset(btf, "mm_struct", "arg_end", &layout->end, NULL);
}

/* Reads a word of the kernel's memory, `offset` after the address in R3, to R0 and R3. */
static void read_word(struct kernel_generator *g, uint32_t offset, uint32_t fail)
{
	const int value = stack_slot_place(&g->slots, STACK_SLOT_VALUE);
	struct bpf_code *code = g->code;

	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)offset);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, value);
	bpf_set(code, BPF_REG_2, 8);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, fail);
	bpf_read(code, BPF_REG_0, BPF_REG_10, value, 8);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
}

static void read_member(struct kernel_generator *g, uint32_t offset, uint32_t fail)
{
	bpf_call(g->code, BPF_FUNC_get_current_task);
	bpf_move(g->code, BPF_REG_3, BPF_REG_0);
	read_word(g, g->maps->words.memory, fail);
	read_word(g, offset, fail);
}

void kernel_words_generate(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place)
{
	const struct kernel_words_layout *layout = &g->maps->words;
	struct bpf_code *code = g->code;
	uint32_t fits = bpf_label(code), after = bpf_label(code);

	bpf_write_value(code, BPF_REG_7, (int)length_place, 0, 4);
	if (!layout->is_found)
		return;
	bpf_write_value(code, BPF_REG_10, stack_slot_take(&g->slots, STACK_SLOT_VALUE), 0, 8);
	read_member(g, layout->end, after);
	bpf_move(code, BPF_REG_9, BPF_REG_0);
	read_member(g, layout->begin, after);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
	bpf_operate(code, BPF_SUB, BPF_REG_9, BPF_REG_3);
	bpf_jump_if_value(code, BPF_JLE, BPF_REG_9, (int32_t)part->length, fits);
	bpf_set(code, BPF_REG_9, part->length);
	bpf_place(code, fits);
	kernel_generate_bytes(g, length_place, part->length);
	bpf_place(code, after);
}

const char *kernel_words_join(struct arena *arena, const unsigned char *bytes, uint32_t length)
{
	char *text = arena_get(arena, length + 1);

	if (text)
		command_line_join(text, length + 1, (const char *)bytes, length);
	return text;
}
