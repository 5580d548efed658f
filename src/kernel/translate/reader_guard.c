/*
 * reader_guard.c: see reader_guard.h. The counters only grow. The number of programs inside is the
 * difference of two sums; the sum of those that have left must be read first.
 */
#include "kernel/translate/reader_guard.h"

#include <errno.h>
#include <stdlib.h>

#include "kernel/bpf/bpf.h"
#include "kernel/translate/reduction.h"
#include "kernel/translate/translator.h"

/* `inside` has a cache line for each processor, with four counters: the programs that have entered
 * in each phase, and those that have left. */
enum { LINE_SHIFT = 6, LINE_WORDS = 8, PHASE_SHIFT = 4, ENTERED = 0, LEFT = 8, TRIES = 64 };

/* ---- the programs' side ---- */

/* Sets R2 to the address of this processor's counters for the phase in R3. */
static void point_to_counters(struct translator *t)
{
	struct bpf_code *code = t->code;
	uint32_t valid = bpf_label(code);

	bpf_call(code, BPF_FUNC_get_smp_processor_id);
	bpf_jump_if_value(code, BPF_JLT, BPF_REG_0, (int32_t)t->reduction->cpu_count, valid);
	bpf_set(code, BPF_REG_0, 0);
	bpf_place(code, valid);
	bpf_operate_value(code, BPF_LSH, BPF_REG_0, LINE_SHIFT);
	bpf_set_map_value(code, BPF_REG_2, t->reduction->inside, 0);
	bpf_operate(code, BPF_ADD, BPF_REG_2, BPF_REG_0);
}

static void count_program(struct translator *t, int counter)
{
	struct bpf_code *code = t->code;

	bpf_operate_value(code, BPF_AND, BPF_REG_3, 1);
	bpf_operate_value(code, BPF_LSH, BPF_REG_3, PHASE_SHIFT);
	bpf_operate(code, BPF_ADD, BPF_REG_2, BPF_REG_3);
	bpf_set(code, BPF_REG_0, 1);
	bpf_atomic(code, BPF_ADD | BPF_FETCH, BPF_REG_2, counter, BPF_REG_0); /* orders, too */
}

void kernel_guard_generate_enter(struct translator *t, int place)
{
	struct bpf_code *code = t->code;

	point_to_counters(t);
	bpf_set_map_value(
		code, BPF_REG_1, t->reduction->guard, offsetof(struct kernel_guard, phase));
	bpf_read(code, BPF_REG_3, BPF_REG_1, 0, 8);
	bpf_write(code, KERNEL_FRAME, place, BPF_REG_3, 8);
	count_program(t, ENTERED);
}

void kernel_guard_generate_leave(struct translator *t, int place)
{
	point_to_counters(t);
	bpf_read(t->code, BPF_REG_3, KERNEL_FRAME, place, 8);
	count_program(t, LEFT);
}

void kernel_guard_generate_check(struct translator *t, uint32_t without)
{
	bpf_set_map_value(
		t->code, BPF_REG_0, t->reduction->guard, offsetof(struct kernel_guard, closed));
	bpf_read(t->code, BPF_REG_0, BPF_REG_0, 0, 8);
	bpf_jump_if_value(t->code, BPF_JNE, BPF_REG_0, 0, without);
}

/* ---- the reader's side ---- */

int kernel_guard_open(struct kernel_reduction *reduction)
{
	const struct kernel_guard first = {.limit = reduction->strings_max};
	const uint32_t index = 0;

	reduction->guard = bpf_map(BPF_MAP_TYPE_ARRAY, 4, sizeof(first), 1, 0);
	if (reduction->guard < 0)
		return reduction->guard;
	if (reduction->rotates) {
		reduction->inside =
			bpf_map(BPF_MAP_TYPE_ARRAY, 4, reduction->cpu_count << LINE_SHIFT, 1, 0);
		if (reduction->inside < 0)
			return reduction->inside;
	}
	return bpf_map_set(reduction->guard, &index, &first);
}

int kernel_guard_begin(struct kernel_guard_reader *reader, const struct kernel_reduction *reduction)
{
	*reader = (struct kernel_guard_reader){.is.limit = reduction->strings_max};
	reader->counts = calloc(reduction->cpu_count + 1, LINE_WORDS * sizeof(*reader->counts));
	return reader->counts ? 0 : -ENOMEM;
}

void kernel_guard_end(struct kernel_guard_reader *reader)
{
	free(reader->counts);
	*reader = (struct kernel_guard_reader){0};
}

void kernel_guard_show(
	const struct kernel_guard_reader *reader, const struct kernel_reduction *reduction)
{
	const uint32_t index = 0;

	bpf_map_set(reduction->guard, &index, &reader->is);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Adds up a counter of all processors. Returns false if it cannot be read. */
static bool add_up(const struct kernel_guard_reader *reader,
	const struct kernel_reduction *reduction, uint64_t phase, int counter, uint64_t *sum)
{
	const uint32_t index = 0;
	uint64_t word = (phase << PHASE_SHIFT) / 8 + (uint64_t)counter / 8;

	if (bpf_map_get(reduction->inside, &index, reader->counts))
		return false;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	*sum = 0;
	for (uint32_t cpu = 0; cpu < reduction->cpu_count; cpu++)
		*sum += reader->counts[LINE_WORDS * cpu + word];
	return true;
}

/* Returns whether all programs that entered in the phase have left; most leave within a
 * microsecond. */
static bool is_left(const struct kernel_guard_reader *reader,
	const struct kernel_reduction *reduction, uint64_t phase)
{
	uint64_t left, entered;

	for (int i = 0; i < TRIES; i++)
		if (add_up(reader, reduction, phase, LEFT, &left) &&
			add_up(reader, reduction, phase, ENTERED, &entered) && left == entered)
			return true;
	return false;
}

bool kernel_guard_wait(struct kernel_guard_reader *reader, const struct kernel_reduction *reduction)
{
	if (reader->state == KERNEL_GUARD_IDLE)
		reader->state = KERNEL_GUARD_LATE;
	if (reader->state == KERNEL_GUARD_LATE && is_left(reader, reduction, !reader->is.phase)) {
		reader->is.phase = !reader->is.phase;
		kernel_guard_show(reader, reduction);
		reader->state = KERNEL_GUARD_OLD;
	}
	if (reader->state == KERNEL_GUARD_OLD && is_left(reader, reduction, !reader->is.phase))
		reader->state = KERNEL_GUARD_IDLE;
	return reader->state == KERNEL_GUARD_IDLE;
}
