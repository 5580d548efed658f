/*
 * capture_part.c: generates the instructions that write the parts of a record after its arguments:
 * pieces of memory, strings and stacks. See capture_generator.h.
 */
#include <errno.h>
#include <stddef.h>

#include "kernel/capture/capture_directory.h"
#include "kernel/capture/capture_generator.h"
#include "kernel/capture/capture_words.h"

enum { OWN_FRAMES = 2 }; /* innermost, of a stack at a tracepoint: the program and its caller */

/* Reads memory at the address in R3, which may be the kernel's, to the address in R1. */
static void read_any(struct kernel_generator *g, uint32_t bytes)
{
	bpf_set(g->code, BPF_REG_2, bytes);
	kernel_generate_read(g, kernel_user_reader(g->plan));
}

/* Adds an argument that is an index to the address in R3. */
static void add_index(struct kernel_generator *g, const struct kernel_part *part)
{
	struct bpf_code *code = g->code;
	int bits = part->index_bits < 0 ? -part->index_bits : part->index_bits;

	if (!part->index || part->index > g->plan->argument_count)
		return;
	bpf_read(code, BPF_REG_1, BPF_REG_7, (int)kernel_argument_place(part->index - 1), 8);
	if (bits && bits < 64)
		bpf_operate_value(code, BPF_LSH, BPF_REG_1, 64 - bits);
	if (bits && bits < 64)
		bpf_operate_value(
			code, part->index_bits < 0 ? BPF_ARSH : BPF_RSH, BPF_REG_1, 64 - bits);
	bpf_set(code, BPF_REG_2, (uint64_t)part->index_scale);
	bpf_operate(code, BPF_MUL, BPF_REG_1, BPF_REG_2);
	bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
}

/* Returns the place of the part's struct kernel_late. */
static uint32_t late_place(const struct kernel_generator *g, const struct kernel_part *part)
{
	return g->plan->late + (part->late - 1) * (uint32_t)sizeof(struct kernel_late);
}

void kernel_generate_piece(struct kernel_generator *g, const struct kernel_part *part)
{
	struct bpf_code *code = g->code;

	bpf_set(code, BPF_REG_3, (uint64_t)part->offset);
	add_index(g, part);
	if (part->from == D_PIECE_FIXED)
		return;
	if (part->from == D_PIECE_ARGUMENT && part->base >= g->plan->argument_count)
		return;
	/* An instruction's own offset has 16 bits, which does not reach the end of a record. */
	bpf_move(code, BPF_REG_1, BPF_REG_7);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1,
		(int32_t)(part->from == D_PIECE_ARGUMENT       ? kernel_argument_place(part->base)
				: part->from == D_PIECE_THREAD ? g->plan->thread
				: part->from == D_PIECE_COMPUTED
				? late_place(g, part)
				: g->plan->parts[part->base].place + part->at));
	bpf_read(code, BPF_REG_1, BPF_REG_1, 0, 8);
	bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_1);
}

/* Sets a register to the place where the next part of a record goes. */
static void point_to_next(struct kernel_generator *g, int to)
{
	bpf_move(g->code, to, BPF_REG_7);
	bpf_operate(g->code, BPF_ADD, to, BPF_REG_8);
}

void kernel_generate_advance(struct kernel_generator *g, uint32_t length_place, uint32_t limit)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_write(code, BPF_REG_7, (int)length_place, BPF_REG_0, 4);
	bpf_jump_if_value(code, BPF_JSLE, BPF_REG_0, 0, after);
	bpf_jump_if_value(code, BPF_JSGT, BPF_REG_0, (int32_t)limit, after);
	bpf_operate_value(code, BPF_ADD, BPF_REG_0, 7);
	bpf_operate_value(code, BPF_AND, BPF_REG_0, ~7);
	bpf_operate(code, BPF_ADD, BPF_REG_8, BPF_REG_0);
	bpf_place(code, after);
}

/* Writes a piece of memory. Its length is 0 if it cannot be read; then what pointers in it point to
 * is not read. */
static void write_memory(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_write_value(code, BPF_REG_7, (int)length_place, 0, 4);
	kernel_generate_piece(g, part);
	bpf_move(code, BPF_REG_1, BPF_REG_7);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, (int32_t)part->place);
	read_any(g, part->length);
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
	bpf_write_value(code, BPF_REG_7, (int)length_place, (int32_t)part->length, 4);
	bpf_place(code, after);
}

/* Leaves the length in R9: an argument plus part->more, or what was computed. */
static void find_count(struct kernel_generator *g, const struct kernel_part *part)
{
	struct bpf_code *code = g->code;

	if (part->counter == KERNEL_COUNT_COMPUTED) {
		bpf_read(code, BPF_REG_9, BPF_REG_7,
			(int)(late_place(g, part) + offsetof(struct kernel_late, count)), 8);
		return;
	}
	bpf_set(code, BPF_REG_9, (uint64_t)part->more);
	if (part->counter > g->plan->argument_count)
		return;
	bpf_read(code, BPF_REG_1, BPF_REG_7, (int)kernel_argument_place(part->counter - 1), 8);
	bpf_operate(code, BPF_ADD, BPF_REG_9, BPF_REG_1);
}

void kernel_generate_bytes(struct kernel_generator *g, uint32_t length_place, uint32_t limit)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	point_to_next(g, BPF_REG_1);
	bpf_move(code, BPF_REG_2, BPF_REG_9);
	kernel_generate_read(g, kernel_user_reader(g->plan));
	bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
	bpf_move(code, BPF_REG_0, BPF_REG_9);
	kernel_generate_advance(g, length_place, limit);
	bpf_place(code, after);
}

/* Like write_memory(), but an argument gives the length. Nothing is read if it is too long. */
static void write_counted(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_write_value(code, BPF_REG_7, (int)length_place, 0, 4);
	find_count(g, part);
	bpf_jump_if_value(code, BPF_JGT, BPF_REG_9, (int32_t)part->length, after);
	kernel_generate_piece(g, part);
	kernel_generate_bytes(g, length_place, part->length);
	bpf_place(code, after);
}

/* Leaves the greatest length of a string with its NUL in R9. */
static void find_string_limit(struct kernel_generator *g, const struct kernel_part *part)
{
	struct bpf_code *code = g->code;
	uint32_t fits = bpf_label(code);

	if (!part->counter) {
		bpf_set(code, BPF_REG_9, part->length);
		return;
	}
	find_count(g, part);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_9, (int32_t)part->length, fits);
	bpf_set(code, BPF_REG_9, part->length - 1);
	bpf_place(code, fits);
	bpf_operate_value(code, BPF_ADD, BPF_REG_9, 1);
}

/* Reads a string without waiting for its pages; R0 as from bpf_probe_read_user_str(). */
static void read_resident_string(struct kernel_generator *g, const struct kernel_part *part)
{
	kernel_generate_piece(g, part);
	point_to_next(g, BPF_REG_1);
	bpf_move(g->code, BPF_REG_2, BPF_REG_9);
	kernel_generate_read(g, BPF_FUNC_probe_read_user_str);
}

/* Fetches the page with the byte that is `distance` after a string's beginning. */
static void fetch_page(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t distance)
{
	kernel_generate_piece(g, part);
	bpf_operate_value(g->code, BPF_ADD, BPF_REG_3, (int32_t)distance);
	bpf_move(g->code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(
		g->code, BPF_ADD, BPF_REG_1, stack_slot_take(&g->slots, STACK_SLOT_VALUE));
	kernel_generate_user_read(g, 1);
	stack_slot_give_back(&g->slots, STACK_SLOT_VALUE);
}

static void write_string(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place)
{
	struct bpf_code *code = g->code;
	uint32_t is_read = bpf_label(code), is_users = bpf_label(code);

	find_string_limit(g, part);
	/* A small number is no address, since the kernel maps nothing there (vm.mmap_min_addr): to
	 * try costs a page fault. */
	kernel_generate_piece(g, part);
	bpf_set(code, BPF_REG_0, (uint64_t)-EFAULT);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_3, KERNEL_PAGE, is_read);
	if (g->plan->is_machine) {
		read_resident_string(g, part);
	} else if (g->features->copy_string) {
		if (g->plan->reads_kernel) {
			kernel_generate_piece(g, part);
			bpf_jump_if_value(code, BPF_JSGE, BPF_REG_3, 0, is_users);
			read_resident_string(g, part);
			bpf_jump(code, is_read);
			bpf_place(code, is_users);
		}
		kernel_generate_piece(g, part);
		point_to_next(g, BPF_REG_1);
		bpf_move(code, BPF_REG_2, BPF_REG_9);
		bpf_set(code, BPF_REG_4, 0);
		bpf_call_kernel(code, g->features->copy_string);
		bpf_extend(code, BPF_REG_0, 4, true);
	} else {
		read_resident_string(g, part);
		bpf_jump_if_value(code, BPF_JSGT, BPF_REG_0, 0, is_read);
		fetch_page(g, part, 0);
		read_resident_string(g, part);
		bpf_jump_if_value(code, BPF_JSGT, BPF_REG_0, 0, is_read);
		for (uint32_t i = KERNEL_PAGE; i < part->length + KERNEL_PAGE; i += KERNEL_PAGE)
			fetch_page(g, part, i < part->length ? i : part->length - 1);
		read_resident_string(g, part);
	}
	bpf_place(code, is_read);
	kernel_generate_advance(g, length_place, part->length);
}

static void write_kernel_stack(
	struct kernel_generator *g, const struct kernel_part *part, uint32_t length_place)
{
	struct bpf_code *code = g->code;

	if (g->plan->is_machine)
		bpf_read(code, BPF_REG_1, BPF_REG_10,
			stack_slot_place(&g->slots, STACK_SLOT_CONTEXT), 8);
	else
		bpf_move(code, BPF_REG_1, BPF_REG_6);
	point_to_next(g, BPF_REG_2);
	bpf_set(code, BPF_REG_3, part->length);
	bpf_set(code, BPF_REG_4, g->plan->is_machine ? OWN_FRAMES : 0);
	bpf_call(code, BPF_FUNC_get_stack);
	kernel_generate_advance(g, length_place, part->length);
}

/*
 * Copies the rest of the page that the stack pointer points into, then whole pages until one cannot
 * be read. The first page is read whole, too, so that the number of bytes is a constant; so the
 * copy begins at a page's beginning.
 */
static void write_stack_copy(struct kernel_generator *g, uint32_t length_place)
{
	struct bpf_code *code = g->code;
	uint32_t after = bpf_label(code);

	bpf_write_value(code, BPF_REG_7, (int)length_place, 0, 4);
	for (uint32_t i = 0; i <= KERNEL_STACK_PAGES; i++) {
		bpf_read(code, BPF_REG_3, BPF_REG_7, (int)g->plan->registers + KERNEL_RSP, 8);
		bpf_operate_value(code, BPF_AND, BPF_REG_3, ~(KERNEL_PAGE - 1));
		bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)(i * KERNEL_PAGE));
		point_to_next(g, BPF_REG_1);
		kernel_generate_user_read(g, KERNEL_PAGE);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
		bpf_write_value(
			code, BPF_REG_7, (int)length_place, (int32_t)((i + 1) * KERNEL_PAGE), 4);
		bpf_operate_value(code, BPF_ADD, BPF_REG_8, KERNEL_PAGE);
	}
	bpf_place(code, after);
}

/* R8 of the record is in a slot of the stack before and after this. R9 is changed, too. */
void kernel_generate_late(struct kernel_generator *g, uint32_t number)
{
	const struct kernel_part *part = &g->plan->parts[number];
	uint32_t length_place = g->plan->lengths + 4 * number;
	struct bpf_code *code = g->code;
	int next;

	if (part->kind == KERNEL_PART_MEMORY) {
		write_memory(g, part, length_place);
		return;
	}
	next = stack_slot_place(&g->slots, STACK_SLOT_NEXT);
	bpf_read(code, BPF_REG_8, BPF_REG_10, next, 8);
	bpf_write(code, BPF_REG_7, (int)(late_place(g, part) + offsetof(struct kernel_late, place)),
		BPF_REG_8, 8);
	if (part->kind == KERNEL_PART_STRING)
		write_string(g, part, length_place);
	else
		write_counted(g, part, length_place);
	bpf_write(code, BPF_REG_10, next, BPF_REG_8, 8);
}

void kernel_generate_parts(struct kernel_generator *g)
{
	const struct kernel_plan *plan = g->plan;

	/* Pieces of fixed length come first: others may lie at addresses that are in them. */
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].kind == KERNEL_PART_MEMORY && !plan->parts[i].late)
			write_memory(g, &plan->parts[i], plan->lengths + 4 * i);
	/* Paths come before other parts of varying length: the kernel's verifier checks the long
	 * code for a path anew for each length that the parts before it may have. */
	for (uint32_t i = 0; i < plan->part_count; i++)
		if (plan->parts[i].kind >= KERNEL_PART_DIRECTORY)
			kernel_directory_generate(g, i);
	for (uint32_t i = 0; i < plan->part_count; i++) {
		const struct kernel_part *part = &plan->parts[i];

		if (part->kind >= KERNEL_PART_DIRECTORY || part->late)
			continue;
		if (part->kind == KERNEL_PART_STRING)
			write_string(g, part, plan->lengths + 4 * i);
		else if (part->kind == KERNEL_PART_COUNTED)
			write_counted(g, part, plan->lengths + 4 * i);
		else if (part->kind == KERNEL_PART_STACK_COPY)
			write_stack_copy(g, plan->lengths + 4 * i);
		else if (part->kind == KERNEL_PART_WORDS)
			kernel_words_generate(g, part, plan->lengths + 4 * i);
		else if (part->kind != KERNEL_PART_MEMORY)
			write_kernel_stack(g, part, plan->lengths + 4 * i);
	}
}
