/* frame_rule.c: see frame_rule.h. */
#include "usdt/unwind/frame_rule.h"

#include <string.h>

enum {
	REMEMBERED_MAX = 4, /* compilers remember one state at a time */
	BYTES_MAX = 1 << 17 /* of instructions; those of functions in the wild take some thousand */
};

/* Instructions, as the DWARF standard names them. */
enum {
	DW_CFA_nop = 0x00,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
	DW_CFA_advance_loc = 0x40, /* the low six bits are an operand, in these three */
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0
};

struct frame_run {
	const struct frame_description *description;
	uint64_t address; /* the address asked for */
	uint64_t reached; /* the instructions that follow apply from here on */
	struct frame_rule *rule;
	struct frame_rule initial;
	bool has_initial;
	unsigned remembered_count;
	struct frame_rule remembered[REMEMBERED_MAX];
};

/* Rules of other registers, such as vector registers, are of no interest. */
static void set_place(
	struct frame_run *run, uint64_t number, enum frame_place_kind kind, int64_t value)
{
	if (number < FRAME_REGISTERS)
		run->rule->places[number] = (struct frame_place){.kind = kind, .value = value};
}

static void set_expression(
	struct frame_run *run, struct frame_bytes *bytes, enum frame_place_kind kind)
{
	uint64_t number = frame_bytes_uleb(bytes);
	struct frame_bytes expression = frame_bytes_take(bytes, frame_bytes_uleb(bytes));

	if (number < FRAME_REGISTERS)
		run->rule->places[number] =
			(struct frame_place){.kind = kind, .expression = expression};
}

static void restore_place(struct frame_run *run, struct frame_bytes *bytes, uint64_t number)
{
	if (!run->has_initial)
		bytes->is_bad = true;
	else if (number < FRAME_REGISTERS)
		run->rule->places[number] = run->initial.places[number];
}

static void remember(struct frame_run *run, struct frame_bytes *bytes)
{
	if (run->remembered_count == REMEMBERED_MAX)
		bytes->is_bad = true;
	else
		run->remembered[run->remembered_count++] = *run->rule;
}

static void restore_state(struct frame_run *run, struct frame_bytes *bytes)
{
	if (!run->remembered_count)
		bytes->is_bad = true;
	else
		*run->rule = run->remembered[--run->remembered_count];
}

/* As an unsigned operand may have any value, products wrap. */
static int64_t scaled(const struct frame_run *run, uint64_t operand)
{
	return (int64_t)(operand * (uint64_t)run->description->data_alignment);
}

static void set_cfa(struct frame_run *run, uint64_t number, int64_t offset)
{
	run->rule->is_expression = false;
	run->rule->cfa_register = number;
	run->rule->cfa_offset = offset;
}

static void set_cfa_expression(struct frame_run *run, struct frame_bytes *bytes)
{
	run->rule->is_expression = true;
	run->rule->cfa_expression = frame_bytes_take(bytes, frame_bytes_uleb(bytes));
}

static void advance(struct frame_run *run, uint64_t count)
{
	run->reached += count * run->description->code_alignment;
}

/* One whose operation code takes all eight bits. */
static void carry_out_extended(struct frame_run *run, struct frame_bytes *bytes, uint8_t code)
{
	uint64_t number;

	switch (code) {
	case DW_CFA_nop:
		break;
	case DW_CFA_advance_loc1:
		advance(run, frame_bytes_unsigned(bytes, 1));
		break;
	case DW_CFA_advance_loc2:
		advance(run, frame_bytes_unsigned(bytes, 2));
		break;
	case DW_CFA_advance_loc4:
		advance(run, frame_bytes_unsigned(bytes, 4));
		break;
	case DW_CFA_offset_extended:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_AT_OFFSET, scaled(run, frame_bytes_uleb(bytes)));
		break;
	case DW_CFA_offset_extended_sf:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_AT_OFFSET,
			scaled(run, (uint64_t)frame_bytes_sleb(bytes)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_AT_OFFSET, scaled(run, 0 - frame_bytes_uleb(bytes)));
		break;
	case DW_CFA_val_offset:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_IS_OFFSET, scaled(run, frame_bytes_uleb(bytes)));
		break;
	case DW_CFA_val_offset_sf:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_IS_OFFSET,
			scaled(run, (uint64_t)frame_bytes_sleb(bytes)));
		break;
	case DW_CFA_restore_extended:
		restore_place(run, bytes, frame_bytes_uleb(bytes));
		break;
	case DW_CFA_undefined:
		set_place(run, frame_bytes_uleb(bytes), FRAME_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_place(run, frame_bytes_uleb(bytes), FRAME_SAME, 0);
		break;
	case DW_CFA_register:
		number = frame_bytes_uleb(bytes);
		set_place(run, number, FRAME_IN_REGISTER, (int64_t)frame_bytes_uleb(bytes));
		break;
	case DW_CFA_remember_state:
		remember(run, bytes);
		break;
	case DW_CFA_restore_state:
		restore_state(run, bytes);
		break;
	case DW_CFA_def_cfa:
		number = frame_bytes_uleb(bytes);
		set_cfa(run, number, (int64_t)frame_bytes_uleb(bytes));
		break;
	case DW_CFA_def_cfa_sf:
		number = frame_bytes_uleb(bytes);
		set_cfa(run, number, scaled(run, (uint64_t)frame_bytes_sleb(bytes)));
		break;
	case DW_CFA_def_cfa_register:
		set_cfa(run, frame_bytes_uleb(bytes), run->rule->cfa_offset);
		break;
	case DW_CFA_def_cfa_offset:
		set_cfa(run, run->rule->cfa_register, (int64_t)frame_bytes_uleb(bytes));
		break;
	case DW_CFA_def_cfa_offset_sf:
		set_cfa(run, run->rule->cfa_register,
			scaled(run, (uint64_t)frame_bytes_sleb(bytes)));
		break;
	case DW_CFA_def_cfa_expression:
		set_cfa_expression(run, bytes);
		break;
	case DW_CFA_expression:
		set_expression(run, bytes, FRAME_AT_EXPRESSION);
		break;
	case DW_CFA_val_expression:
		set_expression(run, bytes, FRAME_IS_EXPRESSION);
		break;
	case DW_CFA_GNU_args_size:
		frame_bytes_uleb(bytes);
		break;
	case DW_CFA_set_loc: /* no compiler uses it; it would need the address's encoding */
	default:
		bytes->is_bad = true;
	}
}

static void carry_out(struct frame_run *run, struct frame_bytes *bytes)
{
	uint8_t code = (uint8_t)frame_bytes_unsigned(bytes, 1), operand = code & 0x3f;

	switch (code & 0xc0) {
	case DW_CFA_advance_loc:
		advance(run, operand);
		break;
	case DW_CFA_offset:
		set_place(run, operand, FRAME_AT_OFFSET, scaled(run, frame_bytes_uleb(bytes)));
		break;
	case DW_CFA_restore:
		restore_place(run, bytes, operand);
		break;
	default:
		carry_out_extended(run, bytes, code);
	}
}

static bool carry_out_all(struct frame_run *run, struct frame_bytes bytes)
{
	if (bytes.end - bytes.at > BYTES_MAX)
		return false;
	while (bytes.at < bytes.end && !bytes.is_bad && run->reached <= run->address)
		carry_out(run, &bytes);
	return !bytes.is_bad;
}

bool frame_rule_find(
	const struct frame_description *description, uint64_t address, struct frame_rule *rule)
{
	struct frame_run run = {.description = description,
		.address = address,
		.reached = description->begin,
		.rule = rule};

	memset(rule, 0, sizeof(*rule));
	rule->is_signal = description->is_signal;
	rule->return_register = description->return_register;
	if (rule->return_register >= FRAME_REGISTERS || !carry_out_all(&run, description->initial))
		return false;
	run.initial = *rule;
	run.has_initial = true;
	run.reached = description->begin;
	return carry_out_all(&run, description->instructions);
}
