/*
 * bpf_code.c: see bpf_code.h. A label is a number until all instructions are there; then each jump
 * gets its distance. Memory that runs out is noted in `failed`, so that callers check once, in
 * bpf_code_end(). Nothing is appended after that.
 */
#include "kernel/bpf/bpf_code.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "base/arena.h"

void bpf_code_begin(struct bpf_code *code)
{
	*code = (struct bpf_code){0};
}

void bpf_code_free(struct bpf_code *code)
{
	free(code->instructions);
	free(code->labels);
	free(code->fixups);
	*code = (struct bpf_code){0};
}

/* Makes room for one more element of an array. */
static bool has_room(
	struct bpf_code *code, void *array, size_t *capacity, size_t count, size_t bytes)
{
	code->failed |= array_room(array, capacity, count, bytes) != 0;
	return !code->failed;
}

static void emit(
	struct bpf_code *code, unsigned operation, int to, int from, int offset, int32_t value)
{
	if (!has_room(code, &code->instructions, &code->capacity, code->count,
		    sizeof(*code->instructions)))
		return;
	if (offset != (int16_t)offset)
		code->failed = true;
	code->instructions[code->count++] = (struct bpf_insn){.code = (uint8_t)operation,
		.dst_reg = (uint8_t)(to & 15),
		.src_reg = (uint8_t)(from & 15),
		.off = (int16_t)offset,
		.imm = value};
}

uint32_t bpf_label(struct bpf_code *code)
{
	if (!has_room(code, &code->labels, &code->label_capacity, code->label_count,
		    sizeof(*code->labels)))
		return 0;
	code->labels[code->label_count] = 0;
	return (uint32_t)code->label_count++;
}

void bpf_place(struct bpf_code *code, uint32_t label)
{
	if (!code->failed)
		code->labels[label] = (uint32_t)code->count + 1;
}

int bpf_code_end(struct bpf_code *code)
{
	if (code->failed)
		return -ENOMEM;
	if (code->is_faulty)
		return -EPROTO;
	for (size_t i = 0; i < code->fixup_count; i++) {
		const struct bpf_fixup *fixup = &code->fixups[i];
		long distance = (long)code->labels[fixup->label] - 1 - (long)fixup->at - 1;

		if (!code->labels[fixup->label] || distance > SHRT_MAX || distance < SHRT_MIN)
			return -E2BIG;
		code->instructions[fixup->at].off = (int16_t)distance;
	}
	return 0;
}

static unsigned width(unsigned size)
{
	return size == 1 ? BPF_B : size == 2 ? BPF_H : size == 4 ? BPF_W : BPF_DW;
}

void bpf_move(struct bpf_code *code, int to, int from)
{
	emit(code, BPF_ALU64 | BPF_MOV | BPF_X, to, from, 0, 0);
}

static void emit_wide(struct bpf_code *code, int to, int kind, uint32_t low, uint32_t high)
{
	emit(code, BPF_LD | BPF_DW | BPF_IMM, to, kind, 0, (int32_t)low);
	emit(code, 0, 0, 0, 0, (int32_t)high);
}

void bpf_set(struct bpf_code *code, int to, uint64_t value)
{
	if ((int64_t)value == (int32_t)value)
		emit(code, BPF_ALU64 | BPF_MOV | BPF_K, to, 0, 0, (int32_t)value);
	else
		emit_wide(code, to, 0, (uint32_t)value, (uint32_t)(value >> 32));
}

void bpf_set_map(struct bpf_code *code, int to, int map)
{
	emit_wide(code, to, BPF_PSEUDO_MAP_FD, (uint32_t)map, 0);
}

void bpf_set_map_value(struct bpf_code *code, int to, int map, uint32_t offset)
{
	emit_wide(code, to, BPF_PSEUDO_MAP_VALUE, (uint32_t)map, offset);
}

void bpf_operate(struct bpf_code *code, int operation, int to, int from)
{
	emit(code, BPF_ALU64 | BPF_X | (unsigned)operation, to, from, 0, 0);
}

void bpf_operate_value(struct bpf_code *code, int operation, int to, int32_t value)
{
	emit(code, BPF_ALU64 | BPF_K | (unsigned)operation, to, 0, 0, value);
}

void bpf_extend(struct bpf_code *code, int reg, unsigned size, bool is_signed)
{
	int32_t bits = 64 - 8 * (int32_t)size;

	if (size >= 8)
		return;
	bpf_operate_value(code, BPF_LSH, reg, bits);
	bpf_operate_value(code, is_signed ? BPF_ARSH : BPF_RSH, reg, bits);
}

void bpf_swap(struct bpf_code *code, int reg)
{
	emit(code,
		BPF_ALU | BPF_END |
			(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? BPF_TO_BE : BPF_TO_LE),
		reg, 0, 0, 64);
}

void bpf_read(struct bpf_code *code, int to, int base, int offset, unsigned size)
{
	emit(code, BPF_LDX | BPF_MEM | width(size), to, base, offset, 0);
}

void bpf_write(struct bpf_code *code, int base, int offset, int from, unsigned size)
{
	emit(code, BPF_STX | BPF_MEM | width(size), base, from, offset, 0);
}

void bpf_write_value(struct bpf_code *code, int base, int offset, int32_t value, unsigned size)
{
	emit(code, BPF_ST | BPF_MEM | width(size), base, 0, offset, value);
}

void bpf_atomic(struct bpf_code *code, int operation, int base, int offset, int from)
{
	emit(code, BPF_STX | BPF_ATOMIC | BPF_DW, base, from, offset, operation);
}

static void jump(struct bpf_code *code, unsigned operation, int one, int other, int32_t value,
	uint32_t label)
{
	if (!has_room(code, &code->fixups, &code->fixup_capacity, code->fixup_count,
		    sizeof(*code->fixups)))
		return;
	code->fixups[code->fixup_count++] =
		(struct bpf_fixup){.at = (uint32_t)code->count, .label = label};
	emit(code, BPF_JMP | operation, one, other, 0, value);
}

void bpf_jump(struct bpf_code *code, uint32_t label)
{
	jump(code, BPF_JA, 0, 0, 0, label);
}

void bpf_jump_if(struct bpf_code *code, int comparison, int one, int other, uint32_t label)
{
	jump(code, BPF_X | (unsigned)comparison, one, other, 0, label);
}

void bpf_jump_if_value(
	struct bpf_code *code, int comparison, int reg, int32_t value, uint32_t label)
{
	jump(code, BPF_K | (unsigned)comparison, reg, 0, value, label);
}

void bpf_call(struct bpf_code *code, int helper)
{
	emit(code, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

void bpf_read_kernel(struct bpf_code *code, int to, uint32_t offset, uint32_t bytes, int place)
{
	bpf_operate_value(code, BPF_ADD, BPF_REG_3, (int32_t)offset);
	bpf_write_value(code, BPF_REG_10, place, 0, 8);
	bpf_move(code, BPF_REG_1, BPF_REG_10);
	bpf_operate_value(code, BPF_ADD, BPF_REG_1, place);
	bpf_set(code, BPF_REG_2, bytes);
	bpf_call(code, BPF_FUNC_probe_read_kernel);
	bpf_read(code, to, BPF_REG_10, place, 8);
}

void bpf_call_kernel(struct bpf_code *code, uint32_t function)
{
	emit(code, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (int32_t)function);
}

void bpf_exit(struct bpf_code *code)
{
	emit(code, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}
