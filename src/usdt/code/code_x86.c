/*
 * code_x86.c: see code_x86.h. An instruction is prefixes, an opcode in one of several maps, and
 * what the opcode's letter in the map's table says: a ModRM byte with its address, and an
 * immediate number. Lengths are all that is needed, so operands are not decoded.
 */
#include "usdt/code/code_x86.h"

/*
 * The letters:
 *   .  nothing             x  no instruction in 64-bit mode
 *   m  ModRM               b w z v  an immediate of 1 byte, of 2, of the operand's size up to
 *                          4, of the operand's size
 *   B Z  ModRM and b or z  g G  ModRM, and b or z if it is TEST
 *   r  a distance of 4 bytes    o  an address    e  ENTER
 *   -  prefixes, handled elsewhere
 */
static const char map_0[] = "mmmmbzxxmmmmbzx-mmmmbzxxmmmmbzxx" /* 00 */
			    "mmmmbz-xmmmmbz-xmmmmbz-xmmmmbz-x" /* 20 */
			    "----------------................" /* 40 */
			    "xx-m----zZbB....bbbbbbbbbbbbbbbb" /* 60 */
			    "BZxBmmmmmmmmmmmm..........x....." /* 80 */
			    "oooo....bz......bbbbbbbbvvvvvvvv" /* a0 */
			    "BBw.--BZe.w..bx.mmmmxxx.mmmmmmmm" /* c0 */
			    "bbbbbbbbrrxb....-.--..gG......mm" /* e0 */;
/* After 0f. */
static const char map_1[] = "mmmmx.....x.xm.Bmmmmmmmmmmmmmmmm" /* 00 */
			    "mmmmxxxxmmmmmmmm......x.-x-xxxxx" /* 20 */
			    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm" /* 40 */
			    "mmmmmmmmmmmmmmmmBBBBmmm.mmxxmmmm" /* 60 */
			    "rrrrrrrrrrrrrrrrmmmmmmmmmmmmmmmm" /* 80 */
			    "...mBmmm...mBmmmmmmmmmmmmmBmmmmm" /* a0 */
			    "mmBmBBBm........mmmmmmmmmmmmmmmm" /* c0 */
			    "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm" /* e0 */;

enum encoding {
	ENCODING_LEGACY,
	ENCODING_VEX /* VEX, EVEX and XOP */
};

struct decoder {
	const uint8_t *bytes;
	size_t count, at;
	enum encoding encoding;
	unsigned map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a, 8 to 10: XOP */
	uint8_t opcode, modrm, rex;
	bool is_operand_16, is_address_32, is_repeated; /* prefixes 66, 67, f2 */
	bool is_f3;
	bool has_bad_prefix; /* the kernel takes no es, cs, ss, ds or lock */
	bool is_notrack;     /* ds before an indirect jump: through the function's own table */
};

/* The next byte; past the end, zeros, which the caller notices by the length. */
static uint8_t take_byte(struct decoder *decoder)
{
	size_t at = decoder->at++;

	return at < decoder->count ? decoder->bytes[at] : 0;
}

static void take_prefixes(struct decoder *decoder)
{
	for (; decoder->at < decoder->count && decoder->at < CODE_LENGTH_MAX; decoder->at++) {
		uint8_t byte = decoder->bytes[decoder->at];

		switch (byte) {
		case 0x3e: /* ds */
			decoder->is_notrack = true;
			decoder->has_bad_prefix = true;
			break;
		case 0x26: /* es, cs, ss, lock */
		case 0x2e:
		case 0x36:
		case 0xf0:
			decoder->has_bad_prefix = true;
			break;
		case 0x66:
			decoder->is_operand_16 = true;
			break;
		case 0x67:
			decoder->is_address_32 = true;
			break;
		case 0xf2:
			decoder->is_repeated = true;
			break;
		case 0xf3:
			decoder->is_f3 = true;
			break;
		case 0x64: /* fs, gs */
		case 0x65:
			break;
		default:
			if ((byte & 0xf0) != 0x40)
				return;
			/* it counts only directly before the opcode */
			decoder->rex = byte;
			continue;
		}
		decoder->rex = 0;
	}
}

/* VEX, EVEX or XOP, whose first byte has been taken. false: no instruction. */
static bool take_vector_prefix(struct decoder *decoder, uint8_t first)
{
	uint8_t byte = take_byte(decoder), second;

	decoder->encoding = ENCODING_VEX;
	decoder->map = 1;
	if (first == 0xc5)
		return true;
	second = take_byte(decoder);
	if (first == 0x62) {
		decoder->map = byte & 7;
		take_byte(decoder);
		return (second & 4) && decoder->map && decoder->map != 4 && decoder->map != 7;
	}
	decoder->map = byte & 31;
	return first == 0x8f ? decoder->map >= 8 && decoder->map <= 10
			     : decoder->map >= 1 && decoder->map <= 3;
}

/* false: no instruction. */
static bool take_opcode(struct decoder *decoder)
{
	uint8_t byte = take_byte(decoder);

	/* 8f is POP too, whose ModRM has 0 in this place */
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62 ||
		(byte == 0x8f && decoder->at < decoder->count &&
			(decoder->bytes[decoder->at] & 31) >= 8)) {
		if (!take_vector_prefix(decoder, byte))
			return false;
		decoder->opcode = take_byte(decoder);
		return true;
	}
	if (byte == 0x0f) {
		decoder->map = 1;
		byte = take_byte(decoder);
		if (byte == 0x38 || byte == 0x3a) {
			decoder->map = byte == 0x38 ? 2 : 3;
			byte = take_byte(decoder);
		}
	}
	decoder->opcode = byte;
	return true;
}

static char letter_of(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	if (decoder->encoding == ENCODING_VEX) {
		switch (decoder->map) {
		case 1:
			if (opcode == 0x77)
				return '.';
			return (opcode >= 0x70 && opcode <= 0x73) || opcode == 0xc2 ||
					(opcode >= 0xc4 && opcode <= 0xc6)
				? 'B'
				: 'm';
		case 3:
		case 8:
			return 'B';
		case 10:
			return 'D'; /* ModRM and always 4 bytes */
		default:
			return 'm';
		}
	}
	switch (decoder->map) {
	case 0:
		return map_0[opcode];
	case 1:
		/* EXTRQ and INSERTQ */
		if (opcode == 0x78 && (decoder->is_operand_16 || decoder->is_repeated))
			return 'W';
		return map_1[opcode];
	case 2:
		return 'm';
	default:
		return 'B';
	}
}

static void take_modrm(struct decoder *decoder)
{
	uint8_t mode, memory;

	decoder->modrm = take_byte(decoder);
	mode = decoder->modrm >> 6;
	memory = decoder->modrm & 7;
	/* MOV to and from control and debug registers ignores the mode */
	if (mode == 3 ||
		(decoder->encoding == ENCODING_LEGACY && decoder->map == 1 &&
			decoder->opcode >= 0x20 && decoder->opcode <= 0x23))
		return;
	if (memory == 4)
		memory = take_byte(decoder) & 7;
	decoder->at += mode == 1 ? 1 : mode == 2 || memory == 5 ? 4 : 0;
}

/* Takes what follows the opcode. false: no instruction. */
static bool take_operands(struct decoder *decoder)
{
	bool is_64 = decoder->rex & 8;
	unsigned word = decoder->is_operand_16 && !is_64 ? 2 : 4;
	char letter = letter_of(decoder);

	switch (letter) {
	case 'm':
	case 'B':
	case 'Z':
	case 'D':
	case 'W':
	case 'g':
	case 'G':
		take_modrm(decoder);
		break;
	default:
		break;
	}
	switch (letter) {
	case 'x':
	case '-':
		return false;
	case 'b':
	case 'B':
		decoder->at += 1;
		break;
	case 'w':
	case 'W':
		decoder->at += 2;
		break;
	case 'e':
		decoder->at += 3;
		break;
	case 'z':
	case 'Z':
		decoder->at += word;
		break;
	case 'r':
	case 'D':
		decoder->at += 4;
		break;
	case 'v':
		decoder->at += is_64 ? 8 : word;
		break;
	case 'o':
		decoder->at += decoder->is_address_32 ? 4 : 8;
		break;
	case 'g':
		decoder->at += (decoder->modrm & 0x38) <= 0x08 ? 1 : 0;
		break;
	case 'G':
		decoder->at += (decoder->modrm & 0x38) <= 0x08 ? word : 0;
		break;
	default:
		break;
	}
	return true;
}

/* Whether the opcode, which is one of a group, exists with this ModRM. */
static bool is_in_group(const struct decoder *decoder)
{
	unsigned number = decoder->modrm >> 3 & 7;
	bool is_register = decoder->modrm >= 0xc0;

	if (decoder->encoding != ENCODING_LEGACY || decoder->map != 0)
		return true;
	switch (decoder->opcode) {
	case 0x8d:
		return !is_register;
	case 0x8f:
		return number == 0;
	case 0xc6:
	case 0xc7:
		return number == 0 || decoder->modrm == 0xf8;
	case 0xfe:
		return number <= 1;
	case 0xff:
		return number != 7 && !((number == 3 || number == 5) && is_register);
	default:
		return true;
	}
}

/* The number of this many bytes at the end of the instruction, signed. */
static int64_t last_number(const struct decoder *decoder, unsigned size)
{
	const uint8_t *from = decoder->bytes + decoder->at - size;

	if (size == 1)
		return (int8_t)from[0];
	return (int32_t)((uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 |
		(uint32_t)from[3] << 24);
}

static void set_target(const struct decoder *decoder, enum code_flow flow, unsigned size,
	struct code_instruction *instruction)
{
	instruction->flow = flow;
	instruction->target = (int64_t)decoder->at + last_number(decoder, size);
}

static void find_flow(const struct decoder *decoder, struct code_instruction *instruction)
{
	uint8_t opcode = decoder->opcode;

	if (decoder->encoding != ENCODING_LEGACY)
		return;
	if (decoder->map == 1) {
		if (opcode >= 0x80 && opcode <= 0x8f)
			set_target(decoder, CODE_BRANCH, 4, instruction);
		else if (opcode == 0x0b || opcode == 0xb9 || opcode == 0xff)
			instruction->flow = CODE_STOP;
		else if (opcode == 0x07 || opcode == 0x35) /* SYSRET, SYSEXIT */
			instruction->flow = CODE_STOP;
		return;
	}
	if (decoder->map != 0)
		return;
	if ((opcode >= 0x70 && opcode <= 0x7f) || (opcode >= 0xe0 && opcode <= 0xe3))
		set_target(decoder, CODE_BRANCH, 1, instruction);
	else if (opcode == 0xc7 && decoder->modrm == 0xf8 && !decoder->is_operand_16)
		set_target(decoder, CODE_BRANCH, 4, instruction); /* XBEGIN */
	else if (opcode == 0xeb)
		set_target(decoder, CODE_JUMP, 1, instruction);
	else if (opcode == 0xe9)
		set_target(decoder, CODE_JUMP, 4, instruction);
	else if (opcode == 0xc2 || opcode == 0xc3 || opcode == 0xca || opcode == 0xcb ||
		opcode == 0xcf)
		instruction->flow = CODE_RETURN;
	else if (opcode == 0xff &&
		((decoder->modrm >> 3 & 7) == 4 || (decoder->modrm >> 3 & 7) == 5))
		instruction->flow = decoder->is_notrack ? CODE_TABLE : CODE_INDIRECT;
	else if (opcode == 0xf4 || opcode == 0xcc)
		instruction->flow = CODE_STOP;
}

/* Opcodes of one byte that the kernel refuses; it looks at VEX and EVEX ones in this table too. */
static bool is_refused_opcode(uint8_t opcode)
{
	static const uint32_t refused[8] = {
		0xc0c040c0, /* 06 07 0e 16 17 1e 1f */
		0x80808080, /* 27 2f 37 3f */
		0x00000000, /* */
		0x0000f007, /* 60 61 62 6c 6d 6e 6f */
		0x04000004, /* 82 9a */
		0x00000000, /* */
		0x0050f000, /* cc cd ce cf d4 d6 */
		0x0c12f4f0, /* e4 e5 e6 e7 ea ec ed ee ef f1 f4 fa fb */
	};

	return refused[opcode >> 5] >> (opcode & 31) & 1;
}

/* Multiplications and additions with four operands, which the kernel's decoder does not know. */
static bool is_fma4(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	return decoder->encoding == ENCODING_VEX && decoder->map == 3 &&
		((opcode >= 0x5c && opcode <= 0x5f) || (opcode >= 0x68 && opcode <= 0x6f) ||
			(opcode >= 0x78 && opcode <= 0x7f));
}

/*
 * Whether the kernel takes a vector instruction for another one. It looks at the opcode alone when
 * it decides how to execute the instruction, so vpcmpeqb is skipped as if it were a jump,
 * vpgatherdd as if it were a nop, and after vcmpps the program goes on in the kernel's copy of it.
 */
static bool is_mistaken(uint8_t opcode)
{
	switch (opcode) {
	case 0x90: /* nop */
	case 0x9d: /* popf: the trap flag stays set */
	case 0xc2: /* ret */
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xe8: /* call and jmp */
	case 0xe9:
	case 0xeb:
	case 0xff: /* indirect call and jmp */
		return true;
	default:
		return opcode >= 0x70 && opcode <= 0x7f; /* conditional jumps */
	}
}

/*
 * Whether the kernel does not know that the instruction has an operand. After f2 or f3 it looks
 * only for what this prefix makes another instruction of, where the opcode has any such meaning;
 * cmov, set and the stores of movntps with such a prefix have none that it knows. An address
 * relative to the instruction would stay as it is in the kernel's copy, which lies elsewhere.
 */
static bool is_operand_overlooked(const struct decoder *decoder)
{
	static const uint8_t opcodes[] = {0x2b, 0x41, 0x42, 0x44, 0x45, 0x46, 0x47, 0x4a, 0x4b,
		0x90, 0x91, 0x92, 0x93, 0x98, 0x99};
	bool found = false;

	for (size_t i = 0; i < sizeof(opcodes); i++)
		found |= decoder->opcode == opcodes[i];
	return found && decoder->map == 1 && (decoder->is_repeated || decoder->is_f3) &&
		(decoder->modrm & 0xc7) == 0x05;
}

/* Why a breakpoint at the instruction is not possible, or NULL. */
static const char *find_refusal(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;
	unsigned map = decoder->map;
	bool is_jump = map == 0 &&
		(opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb ||
			(opcode >= 0x70 && opcode <= 0x7f));

	if (decoder->has_bad_prefix)
		return "the kernel takes no instruction with a lock or segment prefix";
	if (decoder->encoding == ENCODING_VEX) {
		if (is_refused_opcode(opcode) || is_fma4(decoder))
			return "the kernel does not take this vector instruction";
		return is_mistaken(opcode)
			? "the kernel takes this vector instruction for another one"
			: NULL;
	}
	if (map == 1) {
		if (is_operand_overlooked(decoder))
			return "the kernel does not know that this instruction has an operand";
		if (opcode == 0x05 || opcode == 0x34)
			return "a system call instruction fails when the kernel executes a copy "
			       "of it";
		is_jump = opcode >= 0x80 && opcode <= 0x8f;
	} else if (map == 0) {
		if (opcode == 0xcc)
			return "the file itself has a breakpoint here";
		if (is_refused_opcode(opcode))
			return "the kernel does not take this instruction";
		if (opcode == 0x9c)
			return "pushf would push the kernel's own trap flag";
		if (opcode == 0x90 && decoder->rex & 1)
			return "the kernel would skip this exchange as if it were a nop";
		if (opcode == 0x8e && (decoder->modrm >> 3 & 7) == 2)
			return "a write to ss delays the kernel's trap";
	}
	return is_jump && decoder->is_operand_16
		? "the kernel takes no jump or call with an operand size prefix"
		: NULL;
}

static bool is_long_nop(const struct decoder *decoder)
{
	return decoder->map == 1 && decoder->opcode == 0x1f && !(decoder->modrm & 0x38);
}

static enum code_kind find_kind(const struct decoder *decoder)
{
	uint8_t opcode = decoder->opcode;

	if (decoder->encoding == ENCODING_VEX || decoder->map > 1)
		return CODE_STEPPED;
	if (decoder->map == 1) {
		if (is_long_nop(decoder))
			return decoder->at < 9 ? CODE_NOP : CODE_STEPPED;
		return opcode >= 0x80 && opcode <= 0x8f ? CODE_EMULATED : CODE_STEPPED;
	}
	if (opcode == 0x90)
		return CODE_NOP;
	if (opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb ||
		(opcode >= 0x70 && opcode <= 0x7f))
		return CODE_EMULATED;
	/* pushes of a register, alone or with the one prefix that selects r8 to r15 */
	if (opcode >= 0x50 && opcode <= 0x57)
		return decoder->at == 1 || (decoder->at == 2 && decoder->rex == 0x41)
			? CODE_EMULATED
			: CODE_STEPPED;
	return CODE_STEPPED;
}

void code_decode_x86(const uint8_t *bytes, size_t count, struct code_instruction *instruction)
{
	static const uint8_t nop5[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	struct decoder decoder = {.bytes = bytes, .count = count};
	bool is_nop5 = count >= sizeof(nop5);

	take_prefixes(&decoder);
	if (!take_opcode(&decoder) || !take_operands(&decoder) || decoder.at > count ||
		decoder.at > CODE_LENGTH_MAX || !is_in_group(&decoder))
		return;
	instruction->length = (uint8_t)decoder.at;
	find_flow(&decoder, instruction);
	instruction->reason = find_refusal(&decoder);
	for (size_t i = 0; is_nop5 && i < sizeof(nop5); i++)
		is_nop5 = bytes[i] == nop5[i];
	if (is_nop5)
		instruction->reason = "kernels that turn 5-byte nops into calls break children "
				      "that the program forks";
	instruction->kind = instruction->reason ? CODE_REFUSED : find_kind(&decoder);
}
