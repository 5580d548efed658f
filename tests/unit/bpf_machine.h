/*
 * bpf_machine.h: runs a generated BPF program without a kernel, for tests that look at what it
 * does. Memory of the traced process and of the kernel is made of pieces at any addresses, which
 * only helpers read. Every other access must lie in the stack's 64 bytes, in the record or in an
 * area that the test has added; one that does not fails the test, as does an instruction or a
 * helper that this machine does not know.
 */
#ifndef VMTAP_TESTS_BPF_MACHINE_H
#define VMTAP_TESTS_BPF_MACHINE_H

#include <check.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "kernel/bpf/bpf_code.h"

enum {
	BPF_MACHINE_STACK = 64,
	BPF_MACHINE_RECORD = 64 << 10,
	BPF_MACHINE_PIECES = 16,
	BPF_MACHINE_STEPS = 1 << 20
};

struct bpf_machine_piece {
	uint64_t address;
	const void *bytes;
	size_t size;
	bool is_kernel;
	bool is_away; /* the process's, on disk: only helpers that may sleep fetch it */
};

struct bpf_machine_map {
	int map;
	void *value; /* element 0 of an array, or what each key finds; NULL: no key is found */
	size_t size;
	void *(*find)(int map, const void *key); /* in place of value, if it is not NULL */
};

struct bpf_machine {
	uint64_t registers[11];
	_Alignas(16) unsigned char stack[BPF_MACHINE_STACK];
	struct bpf_machine_piece pieces[BPF_MACHINE_PIECES];
	size_t piece_count;
	struct bpf_machine_piece areas[BPF_MACHINE_PIECES]; /* what instructions may touch */
	size_t area_count;
	struct bpf_machine_map maps[BPF_MACHINE_PIECES];
	size_t map_count;
	/* what helpers answer */
	uint64_t pid_tgid, uid_gid, time, cookie, task, task_registers;
	uint32_t cpu;
	uint32_t copy_string; /* the number of bpf_copy_from_user_str() */
	uint64_t frames[8];   /* of the kernel's stack */
	size_t frame_count;
	bool is_full; /* the ring */
	/* what has become of the ring */
	_Alignas(16) unsigned char record[BPF_MACHINE_RECORD];
	size_t record_size;
	unsigned reserved, submitted, discarded;
	unsigned slept; /* calls of helpers that may sleep */
};

static inline void bpf_machine_add_piece(struct bpf_machine *machine, uint64_t address,
	const void *bytes, size_t size, bool is_kernel)
{
	ck_assert_uint_lt(machine->piece_count, BPF_MACHINE_PIECES);
	machine->pieces[machine->piece_count++] =
		(struct bpf_machine_piece){address, bytes, size, is_kernel, false};
}

static inline void bpf_machine_add_area(struct bpf_machine *machine, const void *bytes, size_t size)
{
	ck_assert_uint_lt(machine->area_count, BPF_MACHINE_PIECES);
	machine->areas[machine->area_count++] =
		(struct bpf_machine_piece){(uintptr_t)bytes, bytes, size, false, false};
}

static inline void bpf_machine_add_map(
	struct bpf_machine *machine, int map, void *value, size_t size)
{
	ck_assert_uint_lt(machine->map_count, BPF_MACHINE_PIECES);
	machine->maps[machine->map_count++] = (struct bpf_machine_map){map, value, size, NULL};
	if (value)
		bpf_machine_add_area(machine, value, size);
}

/* A map of which programs only look up elements; where these are must be an area, too. */
static inline void bpf_machine_add_finder(struct bpf_machine *machine, int map, size_t key_bytes,
	void *(*find)(int map, const void *key))
{
	ck_assert_uint_lt(machine->map_count, BPF_MACHINE_PIECES);
	machine->maps[machine->map_count++] = (struct bpf_machine_map){map, NULL, key_bytes, find};
}

static inline bool bpf_machine_is_in(uint64_t address, size_t bytes, const void *area, size_t size)
{
	uint64_t begin = (uintptr_t)area;

	return address >= begin && bytes <= size && address - begin <= size - bytes;
}

/* The memory that an instruction or a helper's pointer touches. */
static inline void *bpf_machine_touch(struct bpf_machine *machine, uint64_t address, size_t bytes)
{
	bool is_known = bpf_machine_is_in(address, bytes, machine->stack, sizeof(machine->stack)) ||
		bpf_machine_is_in(address, bytes, machine->record, sizeof(machine->record));

	for (size_t i = 0; i < machine->area_count; i++)
		is_known |= bpf_machine_is_in(
			address, bytes, machine->areas[i].bytes, machine->areas[i].size);
	ck_assert_msg(
		is_known, "%zu bytes at %#llx are nowhere", bytes, (unsigned long long)address);
	return (void *)(uintptr_t)address;
}

/* The bytes at an address of the process or the kernel, and how many follow; NULL: none. */
static inline const unsigned char *bpf_machine_find(
	struct bpf_machine *machine, uint64_t address, bool is_kernel, bool may_sleep, size_t *rest)
{
	for (size_t i = 0; i < machine->piece_count; i++) {
		struct bpf_machine_piece *piece = &machine->pieces[i];

		if (piece->is_kernel != is_kernel || address < piece->address ||
			address - piece->address >= piece->size)
			continue;
		if (piece->is_away && !may_sleep)
			return NULL;
		piece->is_away = false;
		*rest = piece->size - (size_t)(address - piece->address);
		return (const unsigned char *)piece->bytes + (address - piece->address);
	}
	return NULL;
}

/* As the helpers do it: what cannot be read is filled with zeroes. */
static inline uint64_t bpf_machine_copy(struct bpf_machine *machine, bool is_kernel, bool may_sleep)
{
	size_t size = (size_t)machine->registers[2], rest = 0;
	void *to = bpf_machine_touch(machine, machine->registers[1], size);
	const void *from =
		bpf_machine_find(machine, machine->registers[3], is_kernel, may_sleep, &rest);

	machine->slept += may_sleep;
	memset(to, 0, size);
	if (!from || rest < size)
		return (uint64_t)-EFAULT;
	memcpy(to, from, size);
	return 0;
}

/* The number of bytes with the NUL. */
static inline uint64_t bpf_machine_copy_string(
	struct bpf_machine *machine, bool is_kernel, bool may_sleep)
{
	size_t size = (size_t)machine->registers[2], rest = 0, count = 0;
	char *to = bpf_machine_touch(machine, machine->registers[1], size);
	const unsigned char *from =
		bpf_machine_find(machine, machine->registers[3], is_kernel, may_sleep, &rest);

	machine->slept += may_sleep;
	if (!from || !size)
		return (uint64_t)-EFAULT;
	while (count < size - 1 && count < rest && from[count]) {
		to[count] = (char)from[count];
		count++;
	}
	if (count == rest && count < size - 1)
		return (uint64_t)-EFAULT;
	to[count] = '\0';
	return count + 1;
}

static inline const struct bpf_machine_map *bpf_machine_map_of(
	const struct bpf_machine *machine, int map)
{
	for (size_t i = 0; i < machine->map_count; i++)
		if (machine->maps[i].map == map)
			return &machine->maps[i];
	ck_abort_msg("map %d is not known", map);
}

static inline uint64_t bpf_machine_look_up(struct bpf_machine *machine, int map, uint64_t key)
{
	const struct bpf_machine_map *known = bpf_machine_map_of(machine, map);

	return (uintptr_t)(known->find
			? known->find(map, bpf_machine_touch(machine, key, known->size))
			: known->value);
}

static inline uint64_t bpf_machine_stack_of_kernel(struct bpf_machine *machine)
{
	size_t count = machine->frame_count, room = (size_t)machine->registers[3] / 8;
	size_t skipped = (size_t)machine->registers[4];
	void *to = bpf_machine_touch(machine, machine->registers[2], room * 8);

	count = count > skipped ? count - skipped : 0;
	count = count < room ? count : room;
	memcpy(to, machine->frames + skipped, count * 8);
	return count * 8;
}

static inline uint64_t bpf_machine_help(struct bpf_machine *machine, int helper)
{
	uint64_t *r = machine->registers;

	switch (helper) {
	case BPF_FUNC_probe_read_user:
		return bpf_machine_copy(machine, false, false);
	case BPF_FUNC_copy_from_user:
		return bpf_machine_copy(machine, false, true);
	case BPF_FUNC_probe_read_kernel:
		return bpf_machine_copy(machine, true, false);
	case BPF_FUNC_probe_read_user_str:
		return bpf_machine_copy_string(machine, false, false);
	case BPF_FUNC_probe_read_kernel_str:
		return bpf_machine_copy_string(machine, true, false);
	case BPF_FUNC_get_current_pid_tgid:
		return machine->pid_tgid;
	case BPF_FUNC_get_current_uid_gid:
		return machine->uid_gid;
	case BPF_FUNC_get_smp_processor_id:
		return machine->cpu;
	case BPF_FUNC_ktime_get_ns:
		return machine->time;
	case BPF_FUNC_get_attach_cookie:
		return machine->cookie;
	case BPF_FUNC_get_current_task:
	case BPF_FUNC_get_current_task_btf:
		return machine->task;
	case BPF_FUNC_task_pt_regs:
		return machine->task_registers;
	case BPF_FUNC_get_stack:
		return bpf_machine_stack_of_kernel(machine);
	case BPF_FUNC_map_lookup_elem:
		return bpf_machine_look_up(machine, (int)r[1], r[2]);
	case BPF_FUNC_task_storage_get:
		return (uintptr_t)bpf_machine_map_of(machine, (int)r[1])->value;
	case BPF_FUNC_map_update_elem:
		memcpy(bpf_machine_map_of(machine, (int)r[1])->value,
			bpf_machine_touch(
				machine, r[3], bpf_machine_map_of(machine, (int)r[1])->size),
			bpf_machine_map_of(machine, (int)r[1])->size);
		return 0;
	case BPF_FUNC_ringbuf_query:
		return 0;
	case BPF_FUNC_ringbuf_reserve:
		machine->reserved++;
		machine->record_size = (size_t)r[2];
		return machine->is_full ? 0 : (uintptr_t)machine->record;
	case BPF_FUNC_ringbuf_submit:
		machine->submitted++;
		return 0;
	case BPF_FUNC_ringbuf_reserve_dynptr:
		machine->reserved++;
		machine->record_size = (size_t)r[2];
		bpf_machine_touch(machine, r[4], 16);
		return machine->is_full ? (uint64_t)-EINVAL : 0;
	case BPF_FUNC_dynptr_write:
		ck_assert_uint_le(r[4], machine->record_size);
		memcpy(machine->record + r[2], bpf_machine_touch(machine, r[3], r[4]), r[4]);
		return 0;
	case BPF_FUNC_ringbuf_submit_dynptr:
		machine->submitted++;
		return 0;
	case BPF_FUNC_ringbuf_discard_dynptr:
		machine->discarded++;
		return 0;
	default:
		ck_abort_msg("helper %d is not known", helper);
	}
}

static inline uint64_t bpf_machine_operate(unsigned code, uint64_t one, uint64_t other)
{
	switch (BPF_OP(code)) {
	case BPF_MOV:
		return other;
	case BPF_ADD:
		return one + other;
	case BPF_SUB:
		return one - other;
	case BPF_MUL:
		return one * other;
	case BPF_AND:
		return one & other;
	case BPF_OR:
		return one | other;
	case BPF_XOR:
		return one ^ other;
	case BPF_NEG:
		return 0 - one;
	case BPF_DIV:
		return other ? one / other : 0;
	case BPF_MOD:
		return other ? one % other : one;
	case BPF_LSH:
		return one << (other & 63);
	case BPF_RSH:
		return one >> (other & 63);
	case BPF_ARSH:
		return (uint64_t)((int64_t)one >> (other & 63));
	default:
		ck_abort_msg("operation %#x is not known", code);
	}
}

static inline bool bpf_machine_jumps(unsigned code, uint64_t one, uint64_t other)
{
	int64_t signed_one = (int64_t)one, signed_other = (int64_t)other;

	switch (BPF_OP(code)) {
	case BPF_JA:
		return true;
	case BPF_JEQ:
		return one == other;
	case BPF_JNE:
		return one != other;
	case BPF_JGT:
		return one > other;
	case BPF_JGE:
		return one >= other;
	case BPF_JLT:
		return one < other;
	case BPF_JLE:
		return one <= other;
	case BPF_JSGT:
		return signed_one > signed_other;
	case BPF_JSGE:
		return signed_one >= signed_other;
	case BPF_JSLT:
		return signed_one < signed_other;
	case BPF_JSLE:
		return signed_one <= signed_other;
	default:
		ck_abort_msg("jump %#x is not known", code);
	}
}

/* Returns what an atomic instruction stores. */
static inline uint64_t bpf_machine_atomic(
	struct bpf_machine *machine, const struct bpf_insn *at, const void *to, uint64_t value)
{
	uint64_t before;

	ck_assert_uint_eq(BPF_SIZE(at->code), BPF_DW);
	memcpy(&before, to, sizeof(before));
	switch (at->imm) {
	case BPF_ADD:
		return before + value;
	case BPF_ADD | BPF_FETCH:
		machine->registers[at->src_reg] = before;
		return before + value;
	case BPF_CMPXCHG:
		if (machine->registers[0] != before)
			value = before;
		machine->registers[0] = before;
		return value;
	default:
		ck_abort_msg("atomic operation %#x is not known", at->imm);
	}
}

static inline void bpf_machine_store(
	struct bpf_machine *machine, const struct bpf_insn *at, uint64_t value)
{
	const size_t size = BPF_SIZE(at->code) == BPF_B ? 1
		: BPF_SIZE(at->code) == BPF_H           ? 2
		: BPF_SIZE(at->code) == BPF_W           ? 4
							: 8;
	uint64_t address = machine->registers[at->dst_reg] + (uint64_t)(int64_t)at->off;
	void *to = bpf_machine_touch(machine, address, size);

	if (BPF_MODE(at->code) == BPF_ATOMIC)
		value = bpf_machine_atomic(machine, at, to, value);
	memcpy(to, &value, size);
}

static inline uint64_t bpf_machine_load(struct bpf_machine *machine, const struct bpf_insn *at)
{
	const size_t size = BPF_SIZE(at->code) == BPF_B ? 1
		: BPF_SIZE(at->code) == BPF_H           ? 2
		: BPF_SIZE(at->code) == BPF_W           ? 4
							: 8;
	uint64_t address = machine->registers[at->src_reg] + (uint64_t)(int64_t)at->off, value = 0;

	memcpy(&value, bpf_machine_touch(machine, address, size), size);
	return value;
}

static inline uint64_t bpf_machine_wide(struct bpf_machine *machine, const struct bpf_insn *at)
{
	if (at->src_reg == BPF_PSEUDO_MAP_FD)
		return (uint32_t)at->imm;
	if (at->src_reg == BPF_PSEUDO_MAP_VALUE)
		return (uintptr_t)bpf_machine_map_of(machine, at->imm)->value + (uint32_t)at[1].imm;
	return (uint32_t)at->imm | (uint64_t)(uint32_t)at[1].imm << 32;
}

/* Calls forget what their arguments were, so that no program relies on it. */
static inline void bpf_machine_call(struct bpf_machine *machine, const struct bpf_insn *at)
{
	uint64_t result;

	if (at->src_reg == BPF_PSEUDO_KFUNC_CALL) {
		ck_assert_uint_eq((uint32_t)at->imm, machine->copy_string);
		result = bpf_machine_copy_string(machine, false, true);
	} else {
		result = bpf_machine_help(machine, at->imm);
	}
	for (unsigned i = 1; i <= 5; i++)
		machine->registers[i] = UINT64_C(0xdead000000000000) + i;
	machine->registers[0] = result;
}

/* Runs a program with this context. Returns R0. */
static inline uint64_t bpf_machine_run(
	struct bpf_machine *machine, const struct bpf_code *code, const void *context)
{
	uint64_t *r = machine->registers;
	size_t at = 0;

	memset(machine->stack, 0xa5, sizeof(machine->stack));
	r[1] = (uintptr_t)context;
	r[10] = (uintptr_t)(machine->stack + sizeof(machine->stack));
	for (unsigned steps = 0; steps < BPF_MACHINE_STEPS; steps++) {
		const struct bpf_insn *is = &code->instructions[at++];
		uint64_t constant = (uint64_t)(int64_t)is->imm;

		ck_assert_uint_le(at, code->count);
		switch (BPF_CLASS(is->code)) {
		case BPF_ALU64:
			r[is->dst_reg] = bpf_machine_operate(is->code, r[is->dst_reg],
				is->code & BPF_X ? r[is->src_reg] : constant);
			break;
		case BPF_LD:
			r[is->dst_reg] = bpf_machine_wide(machine, is);
			at++;
			break;
		case BPF_LDX:
			r[is->dst_reg] = bpf_machine_load(machine, is);
			break;
		case BPF_ST:
			bpf_machine_store(machine, is, constant);
			break;
		case BPF_STX:
			bpf_machine_store(machine, is, r[is->src_reg]);
			break;
		case BPF_JMP:
			if (BPF_OP(is->code) == BPF_EXIT)
				return r[0];
			if (BPF_OP(is->code) == BPF_CALL)
				bpf_machine_call(machine, is);
			else if (bpf_machine_jumps(is->code, r[is->dst_reg],
					 is->code & BPF_X ? r[is->src_reg] : constant))
				at = (size_t)((long)at + is->off);
			break;
		default:
			ck_abort_msg("instruction %#x is not known", is->code);
		}
	}
	ck_abort_msg("the program does not end");
}

#endif
