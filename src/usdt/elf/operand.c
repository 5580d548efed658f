/*
 * operand.c: see operand.h.
 *
 * A cursor passes once over the text of an operand. Each machine has a table of its
 * registers and one function that tries the forms of its assembler; a form matches only if
 * it consumes the whole text. is_portable follows what libbpf's scanner accepts, which is
 * narrower than what assemblers accept: only decimal numbers, no sums, no high byte
 * registers on x86-64, only x registers and sp on aarch64.
 */
#include <ctype.h>
#include <elf.h>
#include <string.h>

#include "usdt/elf/operand.h"

struct operand_cursor {
	const char *at, *end;
	bool has_sum; /* a number that libbpf cannot parse: hexadecimal, or a sum */
};

static void skip_blanks(struct operand_cursor *cursor)
{
	while (cursor->at < cursor->end && isspace((unsigned char)*cursor->at))
		cursor->at++;
}

static bool take_character(struct operand_cursor *cursor, char character)
{
	skip_blanks(cursor);
	if (cursor->at == cursor->end || *cursor->at != character)
		return false;
	cursor->at++;
	return true;
}

static bool at_end(struct operand_cursor *cursor)
{
	skip_blanks(cursor);
	return cursor->at == cursor->end;
}

/* Parses an unsigned decimal, octal or hexadecimal number, as 64 bits. */
static bool take_number(struct operand_cursor *cursor, uint64_t *number)
{
	unsigned int radix = 10;
	const char *begin;

	skip_blanks(cursor);
	*number = 0;
	if (cursor->end - cursor->at > 2 && cursor->at[0] == '0' &&
		(cursor->at[1] == 'x' || cursor->at[1] == 'X')) {
		radix = 16;
		cursor->at += 2;
		cursor->has_sum = true;
	} else if (cursor->end - cursor->at > 1 && cursor->at[0] == '0' &&
		isdigit((unsigned char)cursor->at[1])) {
		radix = 8;
		cursor->has_sum = true;
	}
	for (begin = cursor->at; cursor->at < cursor->end; cursor->at++) {
		unsigned char character = (unsigned char)*cursor->at;
		unsigned int digit = radix;

		if (isdigit(character))
			digit = character - '0';
		else if (isxdigit(character))
			digit = (unsigned int)tolower(character) - 'a' + 10;
		if (digit >= radix)
			break;
		if (*number > (UINT64_MAX - digit) / radix)
			return false;
		*number = *number * radix + digit;
	}
	return cursor->at > begin;
}

static bool is_symbol_character(char character, bool first)
{
	unsigned char byte = (unsigned char)character;

	return isalpha(byte) || byte == '_' || byte == '.' || byte >= 0x80 ||
		(!first && (isdigit(byte) || byte == '$' || byte == '@'));
}

/* Parses "name", "name@GOTPCREL", ".LC0". */
static bool take_symbol(struct operand_cursor *cursor, struct operand *operand)
{
	const char *begin;

	skip_blanks(cursor);
	begin = cursor->at;
	while (cursor->at < cursor->end && is_symbol_character(*cursor->at, cursor->at == begin))
		cursor->at++;
	if (cursor->at == begin || operand->symbol)
		return false;
	operand->symbol = begin;
	operand->symbol_length = (size_t)(cursor->at - begin);
	return true;
}

/*
 * Parses a sum of numbers and at most one symbol: "16", "-4+name", "name+8", "8+name-4".
 * Sums wrap around as in the assembler.
 */
static bool take_sum(struct operand_cursor *cursor, struct operand *operand)
{
	uint64_t sum = 0;
	unsigned int terms = 0;

	for (;; terms++) {
		bool negative = false, has_sign = true;
		uint64_t number;

		if (take_character(cursor, '-'))
			negative = true;
		else if (!take_character(cursor, '+'))
			has_sign = false;
		if (terms > 0 && !has_sign)
			break;
		skip_blanks(cursor);
		if (cursor->at < cursor->end && isdigit((unsigned char)*cursor->at)) {
			if (!take_number(cursor, &number))
				return false;
			sum += negative ? -number : number;
		} else if (negative || !take_symbol(cursor, operand)) {
			return false;
		}
	}
	if (terms > 1)
		cursor->has_sum = true;
	operand->value = (int64_t)sum;
	return true;
}

/* Parses a word of letters and digits, padded with zeros; a longer word cannot be a register. */
static bool take_register_name(struct operand_cursor *cursor, char name[8])
{
	size_t length = 0;

	memset(name, 0, 8);
	skip_blanks(cursor);
	while (cursor->at < cursor->end && isalnum((unsigned char)*cursor->at)) {
		if (length == 7)
			return false;
		name[length++] = *cursor->at++;
	}
	return length > 0;
}

/* Parses "15" in "r15": a number from 0 to limit in its shortest form; -1 if it is not one. */
static int register_number(const char *digits, size_t length, int limit)
{
	int number = 0;

	if (length < 1 || length > 2 || (length == 2 && digits[0] == '0'))
		return -1;
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)digits[i]))
			return -1;
		number = number * 10 + digits[i] - '0';
	}
	return number <= limit ? number : -1;
}

/* --- x86-64 --- */

/* Names are 8 bytes wide, so that a comparison is one instruction: files contain many. */
static bool x86_register(const char name[8], struct operand_register *found)
{
	static const char names[8][5][8] = {
		/* 8, 4, 2 and 1 bytes; the second byte */
		{"rax", "eax", "ax", "al", "ah"},
		{"rcx", "ecx", "cx", "cl", "ch"},
		{"rdx", "edx", "dx", "dl", "dh"},
		{"rbx", "ebx", "bx", "bl", "bh"},
		{"rsp", "esp", "sp", "spl", ""},
		{"rbp", "ebp", "bp", "bpl", ""},
		{"rsi", "esi", "si", "sil", ""},
		{"rdi", "edi", "di", "dil", ""},
	};
	static const uint8_t sizes[5] = {8, 4, 2, 1, 1};
	static const struct {
		const char *prefix;
		uint8_t size;
	} vectors[] = {{"xmm", 16}, {"ymm", 32}, {"zmm", 64}};
	size_t length = strlen(name);
	int number;

	for (uint8_t i = 0; i < 8; i++) {
		for (uint8_t j = 0; j < 5; j++) {
			if (names[i][j][0] && memcmp(name, names[i][j], 8) == 0) {
				*found = (struct operand_register){
					OPERAND_REGISTER_GENERAL, i, sizes[j], j == 4};
				return true;
			}
		}
	}
	if (strcmp(name, "rip") == 0 || strcmp(name, "eip") == 0) {
		*found = (struct operand_register){
			OPERAND_REGISTER_GENERAL, 16, name[0] == 'r' ? 8 : 4, false};
		return true;
	}
	for (size_t i = 0; i < 3; i++) {
		if (strncmp(name, vectors[i].prefix, 3) == 0 &&
			(number = register_number(name + 3, length - 3, 31)) >= 0) {
			*found = (struct operand_register){
				OPERAND_REGISTER_FLOAT, (uint8_t)number, vectors[i].size, false};
			return true;
		}
	}
	if (name[0] == 'r' && length > 1) {
		uint8_t size = 8;

		switch (name[length - 1]) {
		case 'd':
			size = 4;
			break;
		case 'w':
			size = 2;
			break;
		case 'b':
			size = 1;
			break;
		}
		number = register_number(name + 1, length - 1 - (size < 8), 15);
		if (number >= 8) {
			*found = (struct operand_register){
				OPERAND_REGISTER_GENERAL, (uint8_t)number, size, false};
			return true;
		}
	}
	return false;
}

static bool take_x86_register(struct operand_cursor *cursor, struct operand_register *found)
{
	char name[8];

	return take_character(cursor, '%') && take_register_name(cursor, name) &&
		x86_register(name, found);
}

/* libbpf does not know the names of the second bytes. */
static bool x86_register_is_portable(const struct operand_register *found)
{
	return found->kind != OPERAND_REGISTER_FLOAT && !found->high_byte;
}

/* Parses "(%base,%index,scale)" after the displacement; all but one part are optional. */
static bool take_x86_address(struct operand_cursor *cursor, struct operand *operand)
{
	uint64_t scale = 1;

	skip_blanks(cursor);
	if (cursor->at < cursor->end && *cursor->at == '%' &&
		!take_x86_register(cursor, &operand->base))
		return false;
	if (take_character(cursor, ',')) {
		skip_blanks(cursor);
		if (cursor->at < cursor->end && *cursor->at == '%' &&
			!take_x86_register(cursor, &operand->index))
			return false;
		if (take_character(cursor, ',') && !take_number(cursor, &scale))
			return false;
		if (operand->index.kind == OPERAND_REGISTER_NONE)
			return false;
	} else if (operand->base.kind == OPERAND_REGISTER_NONE) {
		return false;
	}
	if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
		return false;
	operand->scale = (uint8_t)scale;
	return take_character(cursor, ')');
}

static bool parse_x86(struct operand_cursor *cursor, struct operand *operand)
{
	struct operand_cursor start = *cursor;
	bool has_sum = true;

	if (take_character(cursor, '$')) {
		operand->is_address = true;
		if (!take_sum(cursor, operand) || !at_end(cursor))
			return false;
		operand->kind = operand->symbol ? OPERAND_SYMBOL : OPERAND_CONSTANT;
		operand->is_portable = !operand->symbol && !cursor->has_sum;
		return true;
	}
	if (take_character(cursor, '%')) {
		char name[8];

		if (!take_register_name(cursor, name))
			return false;
		if (x86_register(name, &operand->base)) {
			operand->kind = OPERAND_REGISTER;
			operand->is_portable = x86_register_is_portable(&operand->base);
			return at_end(cursor);
		}
		if (!take_character(cursor, ':'))
			return false;
		if (strcmp(name, "fs") == 0)
			operand->segment = "fs";
		else if (strcmp(name, "gs") == 0)
			operand->segment = "gs";
		else if (strcmp(name, "ds") != 0 && strcmp(name, "ss") != 0 &&
			strcmp(name, "es") != 0 && strcmp(name, "cs") != 0)
			return false;
	} else {
		*cursor = start;
	}
	skip_blanks(cursor);
	if (cursor->at < cursor->end && *cursor->at != '(') {
		if (!take_sum(cursor, operand))
			return false;
	} else {
		has_sum = false;
	}
	operand->scale = 1;
	if (take_character(cursor, '(')) {
		if (!take_x86_address(cursor, operand))
			return false;
		operand->kind = operand->symbol ? OPERAND_SYMBOL : OPERAND_MEMORY;
		/* a number relative to %rip is a symbol that the assembler has resolved */
		operand->is_portable = !operand->symbol && !operand->segment && !cursor->has_sum &&
			operand->base.number != 16 &&
			operand->base.kind == OPERAND_REGISTER_GENERAL &&
			operand->index.kind != OPERAND_REGISTER_FLOAT;
	} else if (!has_sum) {
		return false;
	} else if (operand->symbol) {
		operand->kind = OPERAND_SYMBOL;
	} else {
		/* "%fs:16" is memory; a number alone is a constant without the '$' */
		operand->kind = operand->segment ? OPERAND_MEMORY : OPERAND_CONSTANT;
	}
	return at_end(cursor);
}

/* --- aarch64 --- */

static bool arm_register(const char *name, struct operand_register *found)
{
	static const struct {
		char letter;
		uint8_t size;
		int limit;
		enum operand_register_kind kind;
	} files[] = {
		{'x', 8, 30, OPERAND_REGISTER_GENERAL},
		{'w', 4, 30, OPERAND_REGISTER_GENERAL},
		{'v', 16, 31, OPERAND_REGISTER_FLOAT},
		{'q', 16, 31, OPERAND_REGISTER_FLOAT},
		{'d', 8, 31, OPERAND_REGISTER_FLOAT},
		{'s', 4, 31, OPERAND_REGISTER_FLOAT},
		{'h', 2, 31, OPERAND_REGISTER_FLOAT},
		{'b', 1, 31, OPERAND_REGISTER_FLOAT},
	};
	static const struct {
		const char *name;
		uint8_t number, size;
	} names[] = {{"sp", 31, 8}, {"wsp", 31, 4}, {"xzr", 32, 8}, {"wzr", 32, 4}, {"fp", 29, 8},
		{"lr", 30, 8}};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i].name) == 0) {
			*found = (struct operand_register){
				OPERAND_REGISTER_GENERAL, names[i].number, names[i].size, false};
			return true;
		}
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		int number = name[0] == files[i].letter
			? register_number(name + 1, length - 1, files[i].limit)
			: -1;

		if (number >= 0) {
			*found = (struct operand_register){
				files[i].kind, (uint8_t)number, files[i].size, false};
			return true;
		}
	}
	return false;
}

/* Parses "lsl 3", "sxtw #2", "uxtw" after an index register. */
static bool take_arm_extension(struct operand_cursor *cursor, struct operand *operand)
{
	static const char *const extensions[] = {"lsl", "sxtw", "uxtw", "sxtx", "uxtx"};
	uint64_t shift = 0;
	char name[8];
	bool known = false;

	if (!take_register_name(cursor, name))
		return false;
	for (size_t i = 0; i < sizeof(extensions) / sizeof(extensions[0]); i++)
		known |= strcmp(name, extensions[i]) == 0;
	skip_blanks(cursor);
	if (cursor->at < cursor->end && *cursor->at != ']') {
		take_character(cursor, '#');
		if (!take_number(cursor, &shift))
			return false;
	}
	if (!known || shift > 4)
		return false;
	operand->scale = (uint8_t)(1u << shift);
	return true;
}

/* Parses ":lo12:name": the low bits of an address, or the part of it for another relocation. */
static bool take_arm_relocated(struct operand_cursor *cursor, struct operand *operand)
{
	if (!take_character(cursor, ':'))
		return false;
	while (cursor->at < cursor->end &&
		(isalnum((unsigned char)*cursor->at) || *cursor->at == '_'))
		cursor->at++;
	return take_character(cursor, ':') && take_sum(cursor, operand) && operand->symbol;
}

/* Parses the text between '[' and ']'. */
static bool take_arm_address(struct operand_cursor *cursor, struct operand *operand)
{
	struct operand_cursor start;
	bool has_hash;
	char name[8];

	if (!take_register_name(cursor, name) || !arm_register(name, &operand->base) ||
		operand->base.kind != OPERAND_REGISTER_GENERAL)
		return false;
	operand->is_portable = operand->base.size == 8 && operand->base.number <= 31 &&
		strcmp(name, "fp") != 0 && strcmp(name, "lr") != 0;
	if (!take_character(cursor, ','))
		return take_character(cursor, ']');
	has_hash = take_character(cursor, '#');
	skip_blanks(cursor);
	start = *cursor;
	if (!has_hash && take_register_name(cursor, name) && arm_register(name, &operand->index)) {
		operand->is_portable = false;
		if (operand->index.kind != OPERAND_REGISTER_GENERAL)
			return false;
		if (take_character(cursor, ',') && !take_arm_extension(cursor, operand))
			return false;
		return take_character(cursor, ']');
	}
	*cursor = start;
	if (cursor->at < cursor->end && *cursor->at == ':') {
		if (!take_arm_relocated(cursor, operand))
			return false;
	} else if (!take_sum(cursor, operand)) {
		return false;
	}
	if (has_hash || cursor->has_sum || operand->symbol)
		operand->is_portable = false;
	return take_character(cursor, ']');
}

static bool parse_arm(struct operand_cursor *cursor, struct operand *operand)
{
	struct operand_cursor start = *cursor;
	bool has_hash;
	char name[8];

	operand->scale = 1;
	if (take_character(cursor, '[')) {
		if (!take_arm_address(cursor, operand))
			return false;
		operand->kind = operand->symbol ? OPERAND_SYMBOL : OPERAND_MEMORY;
		return at_end(cursor);
	}
	if (take_register_name(cursor, name) && arm_register(name, &operand->base)) {
		operand->kind = OPERAND_REGISTER;
		operand->is_portable = operand->base.kind == OPERAND_REGISTER_GENERAL &&
			operand->base.size == 8 && operand->base.number <= 31 &&
			strcmp(name, "fp") != 0 && strcmp(name, "lr") != 0;
		return at_end(cursor);
	}
	*cursor = start;
	has_hash = take_character(cursor, '#');
	skip_blanks(cursor);
	if (cursor->at < cursor->end && *cursor->at == ':') {
		operand->is_address = true;
		if (!take_arm_relocated(cursor, operand))
			return false;
	} else if (!take_sum(cursor, operand)) {
		return false;
	}
	operand->kind = operand->symbol ? OPERAND_SYMBOL : OPERAND_CONSTANT;
	operand->is_portable = !operand->symbol && !has_hash && !cursor->has_sum;
	return at_end(cursor);
}

void operand_parse(uint16_t machine, const char *text, size_t length, struct operand *operand)
{
	struct operand_cursor cursor = {text, text + length, false};
	bool understood;

	memset(operand, 0, sizeof(*operand));
	switch (machine) {
	case EM_X86_64:
		understood = parse_x86(&cursor, operand);
		break;
	case EM_AARCH64:
		understood = parse_arm(&cursor, operand);
		break;
	default:
		operand->kind = OPERAND_VERBATIM;
		return;
	}
	if (!understood) {
		memset(operand, 0, sizeof(*operand));
		operand->kind = OPERAND_UNKNOWN;
	}
}

/* Parses "-4@", "8f@"; without a size, leaves *at and the argument unchanged. */
static void take_size(const char **at, const char *end, struct operand_argument *argument)
{
	const char *scan = *at;
	unsigned int size = 0;
	bool is_signed = false, is_float = false;

	if (scan < end && *scan == '-') {
		is_signed = true;
		scan++;
	}
	if (scan == end || !isdigit((unsigned char)*scan))
		return;
	for (; scan < end && isdigit((unsigned char)*scan); scan++) {
		size = size * 10 + (unsigned int)(*scan - '0');
		if (size > UINT8_MAX)
			return;
	}
	if (scan < end && *scan == 'f') {
		is_float = true;
		scan++;
	}
	if (scan == end || *scan != '@')
		return;
	argument->size = (uint8_t)size;
	argument->is_signed = is_signed;
	argument->is_float = is_float;
	*at = scan + 1;
}

bool operand_next_argument(uint16_t machine, const char **rest, struct operand_argument *argument)
{
	const char *begin = *rest;
	const char *end;
	unsigned int depth = 0;

	memset(argument, 0, sizeof(*argument));
	while (isspace((unsigned char)*begin))
		begin++;
	for (end = begin; *end && (depth > 0 || !isspace((unsigned char)*end)); end++) {
		if (*end == '[' || *end == '(')
			depth++;
		else if ((*end == ']' || *end == ')') && depth > 0)
			depth--;
	}
	*rest = end;
	if (begin == end)
		return false;
	take_size(&begin, end, argument);
	argument->text = begin;
	argument->text_length = (size_t)(end - begin);
	operand_parse(machine, begin, argument->text_length, &argument->operand);
	return true;
}
