/*
 * code.c: see code.h. A function is decoded linearly. Its direct jumps are then compared with
 * the instructions found: one into the middle of an instruction shows that they are wrong.
 */
#include "usdt/code/code.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>

#include "base/arena.h"
#include "usdt/code/code_x86.h"

enum { ARM_LENGTH = 4 };

/* A signed number of bits bits, the lowest of word. */
static int64_t sign_extended(uint32_t word, unsigned bits)
{
	return (int64_t)((uint64_t)word << (64 - bits)) >> (64 - bits);
}

static bool is_arm_branch(uint32_t word)
{
	return (word & 0xff000010) == 0x54000000 ||  /* B.cond */
		(word & 0x7e000000) == 0x34000000 || /* CBZ, CBNZ */
		(word & 0x7e000000) == 0x36000000;   /* TBZ, TBNZ */
}

/* What the kernel executes itself: jumps and whatever depends on the instruction's address. */
static bool is_arm_emulated(uint32_t word)
{
	return (word & 0x7c000000) == 0x14000000 ||                         /* B, BL */
		is_arm_branch(word) || (word & 0xff9ffc1f) == 0xd61f0000 || /* BR, BLR, RET */
		(word & 0x1f000000) == 0x10000000 ||                        /* ADR, ADRP */
		(word & 0xbf000000) == 0x18000000 ||                        /* LDR, literal */
		(word & 0xff000000) == 0x98000000;                          /* LDRSW, literal */
}

static const char *find_arm_refusal(uint32_t word)
{
	if ((word & 0xff000000) == 0xd4000000)
		return "the kernel takes no instruction that causes an exception";
	if ((word & 0x3f000000) == 0x08000000)
		return "the kernel takes no exclusive access";
	if ((word & 0xffc00000) == 0xd5000000 && (word & 0xfffff01f) != 0xd503201f)
		return "the kernel takes no system instruction";
	return NULL;
}

/* Instructions are little-endian whatever the data are. */
static void decode_arm(const uint8_t *bytes, size_t count, struct code_instruction *instruction)
{
	uint32_t word;

	if (count < ARM_LENGTH)
		return;
	word = (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
		(uint32_t)bytes[3] << 24;
	if (word >> 16 == 0) /* UDF, and what stands between functions */
		return;
	instruction->length = ARM_LENGTH;
	instruction->reason = find_arm_refusal(word);
	instruction->kind = instruction->reason ? CODE_REFUSED
		: word == 0xd503201f            ? CODE_NOP
		: is_arm_emulated(word)         ? CODE_EMULATED
						: CODE_STEPPED;
	if ((word & 0xfc000000) == 0x14000000) {
		instruction->flow = CODE_JUMP;
		instruction->target = sign_extended(word, 26) * ARM_LENGTH;
	} else if (is_arm_branch(word)) {
		instruction->flow = CODE_BRANCH;
		instruction->target = ARM_LENGTH *
			((word & 0x7e000000) == 0x36000000
					? sign_extended(word >> 5 & 0x3fff, 14)
					: sign_extended(word >> 5 & 0x7ffff, 19));
	} else if ((word & 0xfffffc1f) == 0xd65f0000 || (word & 0xfffffbff) == 0xd65f0bff) {
		instruction->flow = CODE_RETURN;
	} else if ((word & 0xfefff800) == 0xd61f0800 || (word & 0xfffffc1f) == 0xd61f0000) {
		instruction->flow = CODE_INDIRECT;
	} else if ((word & 0xffe0001f) == 0xd4200000) {
		instruction->flow = CODE_STOP;
	}
}

bool code_is_known(uint16_t machine)
{
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

void code_decode(
	uint16_t machine, const uint8_t *bytes, size_t count, struct code_instruction *instruction)
{
	*instruction = (struct code_instruction){.kind = CODE_UNKNOWN};
	if (machine == EM_X86_64)
		code_decode_x86(bytes, count, instruction);
	else if (machine == EM_AARCH64)
		decode_arm(bytes, count, instruction);
}

static bool is_marked(const struct code_starts *map, uint64_t offset)
{
	return map->bits[offset / 64] >> (offset % 64) & 1;
}

/* Whether a direct jump may go there: the kernel's and libc's code jumps over a lock prefix. */
static bool is_entered(const struct code_starts *map, const uint8_t *bytes, uint64_t offset)
{
	return is_marked(map, offset) ||
		(offset > 0 && is_marked(map, offset - 1) && bytes[offset - 1] == 0xf0);
}

static void find_conflict(struct code_starts *map, uint16_t machine, const uint8_t *bytes)
{
	struct code_instruction instruction;

	map->conflict = SIZE_MAX;
	for (size_t at = 0; at < map->size; at += instruction.length) {
		int64_t target;

		code_decode(machine, bytes + at, map->size - at, &instruction);
		if (!instruction.length)
			return;
		target = (int64_t)at + instruction.target;
		if ((instruction.flow == CODE_BRANCH || instruction.flow == CODE_JUMP) &&
			target >= 0 && (uint64_t)target < map->size &&
			!is_entered(map, bytes, (uint64_t)target)) {
			map->conflict = (size_t)target;
			return;
		}
	}
}

int code_starts_make(uint16_t machine, const uint8_t *bytes, size_t count, struct code_starts *map)
{
	struct code_instruction instruction;

	*map = (struct code_starts){.conflict = SIZE_MAX};
	if (count > CODE_FUNCTION_MAX)
		count = CODE_FUNCTION_MAX;
	map->bits = calloc(count / 64 + 1, sizeof(*map->bits));
	if (!map->bits)
		return -ENOMEM;
	while (map->size < count) {
		code_decode(machine, bytes + map->size, count - map->size, &instruction);
		if (!instruction.length)
			break;
		map->bits[map->size / 64] |= UINT64_C(1) << (map->size % 64);
		map->size += instruction.length;
	}
	find_conflict(map, machine, bytes);
	return 0;
}

void code_starts_free(struct code_starts *map)
{
	free(map->bits);
	*map = (struct code_starts){0};
}

bool code_starts_at(const struct code_starts *map, uint64_t offset, uint64_t *before)
{
	uint64_t at = offset;

	*before = 0;
	if (!map->size)
		return false;
	if (at >= map->size)
		at = map->size - 1;
	while (at > 0 && !is_marked(map, at))
		at--;
	*before = at;
	return at == offset;
}

/* Why the instruction at the offset makes the returns unknown, or NULL; sets *returns. */
static const char *judge(const struct code_starts *starts,
	const struct code_instruction *instruction, size_t at,
	const struct code_surroundings *surroundings, bool *returns)
{
	int64_t target = (int64_t)at + instruction->target;

	*returns = false;
	switch (instruction->flow) {
	case CODE_INDIRECT:
		return "it has an indirect jump, which may leave it or not";
	case CODE_RETURN:
		*returns = true;
		break;
	case CODE_JUMP:
	case CODE_BRANCH:
		if ((target >= 0 && (uint64_t)target < starts->size) ||
			surroundings->is_same(surroundings->context, target))
			return NULL;
		if (instruction->flow == CODE_BRANCH)
			return "it may leave by a conditional jump";
		if (!surroundings->is_function(surroundings->context, target))
			return "it jumps to code that has no symbol";
		*returns = true;
		break;
	default:
		return NULL;
	}
	return instruction->kind == CODE_REFUSED ? "no breakpoint is possible at one of its returns"
						 : NULL;
}

const char *code_starts_returns(const struct code_starts *starts, uint16_t machine,
	const uint8_t *bytes, const struct code_surroundings *surroundings, uint32_t **offsets,
	size_t *count)
{
	struct code_instruction instruction;
	const char *reason = NULL;
	size_t capacity = 0;
	bool returns;

	*offsets = NULL;
	*count = 0;
	if (starts->conflict != SIZE_MAX)
		reason = "its code seems to contain data";
	for (size_t at = 0; !reason && at < starts->size; at += instruction.length) {
		code_decode(machine, bytes + at, starts->size - at, &instruction);
		if (!instruction.length)
			break;
		reason = judge(starts, &instruction, at, surroundings, &returns);
		if (reason || !returns)
			continue;
		if (array_room(offsets, &capacity, *count, sizeof(**offsets)))
			reason = "out of memory";
		else
			(*offsets)[(*count)++] = (uint32_t)at;
	}
	if (reason) {
		free(*offsets);
		*offsets = NULL;
		*count = 0;
	}
	return reason;
}
