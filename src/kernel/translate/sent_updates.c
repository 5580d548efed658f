/*
 * sent_updates.c: see sent_updates.h.
 *
 * R7 is the record, R9 the place of its next part of varying length.
 */
#include "kernel/translate/sent_updates.h"

#include "kernel/translate/translate_string.h"
#include "kernel/translate/translator.h"

void kernel_send_lay_out(const struct kernel_reduction *reduction, const struct kernel_tally *tally,
	struct kernel_sent_layout *layout)
{
	uint32_t strings = 0, at;
	bool has_last = false, has_stack = false;

	for (unsigned i = 0; i < tally->key_count; i++) {
		enum kernel_key_kind kind = tally->keys[i].kind;

		has_last |= kind == KERNEL_KEY_STRING;
		has_stack |= kind == KERNEL_KEY_STACK;
		strings += kind == KERNEL_KEY_STRING || kind == KERNEL_KEY_LISTED;
	}
	*layout = (struct kernel_sent_layout){.first = has_last ? reduction->string_bytes : 0,
		.end = tally->key_bytes - (tally->rotates ? KERNEL_WORD : 0)};
	at = kernel_sent_word(layout, layout->end);
	if (has_last) {
		layout->length = at;
		at += KERNEL_WORD;
	}
	if (has_stack) {
		layout->registers = at;
		at += KERNEL_REGISTERS_BYTES;
	}
	layout->begin = at;
	/* One more word for each string: the verifier does not see that a length which is rounded
	 * up is a multiple of a word, and so at most string_bytes. */
	layout->limit = at + strings * (reduction->string_bytes + KERNEL_WORD) +
		(has_stack ? KERNEL_SENT_STACK : 0);
}

/* Fills the words that have a fixed place, except the head and the lengths of strings. */
static void write_words(struct translator *t, const struct kernel_tally *tally,
	const struct kernel_sent_layout *layout, int value, int increment)
{
	struct bpf_code *code = t->code;

	bpf_write_value(code, BPF_REG_7, offsetof(struct kernel_sent, tally),
		(int32_t)(tally - t->reduction->tallies), 4);
	bpf_write_value(code, BPF_REG_7, offsetof(struct kernel_sent, copied), 0, 4);
	bpf_read(code, BPF_REG_1, KERNEL_FRAME, value, 8);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_sent, value), BPF_REG_1, 8);
	bpf_read(code, BPF_REG_1, KERNEL_FRAME, increment, 8);
	bpf_write(code, BPF_REG_7, offsetof(struct kernel_sent, increment), BPF_REG_1, 8);
	for (uint32_t i = layout->first; i < layout->end; i += KERNEL_WORD) {
		bpf_read(code, BPF_REG_1, KERNEL_FRAME, t->area + (int)i, 8);
		bpf_write(code, BPF_REG_7, (int)kernel_sent_word(layout, i), BPF_REG_1, 8);
	}
	for (int i = 0; i < KERNEL_REGISTERS_BYTES && layout->registers; i += KERNEL_WORD) {
		bpf_read(code, BPF_REG_1, BPF_REG_6, i, 8);
		bpf_write(code, BPF_REG_7, (int)layout->registers + i, BPF_REG_1, 8);
	}
}

/* Sets R1 to the address of the next part in the record. */
static void point_to_next(struct translator *t)
{
	bpf_move(t->code, BPF_REG_1, BPF_REG_7);
	bpf_operate(t->code, BPF_ADD, BPF_REG_1, BPF_REG_9);
}

/* Copies the strings of the key; goes to `lost` if one cannot be read any more. */
static void copy_strings(struct translator *t, const struct kernel_tally *tally,
	const struct kernel_sent_layout *layout, unsigned first, uint32_t lost)
{
	struct bpf_code *code = t->code;

	for (unsigned i = 0; i < tally->key_count; i++) {
		const struct kernel_key *key = &tally->keys[i];

		if (key->kind != KERNEL_KEY_LISTED && key->kind != KERNEL_KEY_STRING)
			continue;
		point_to_next(t);
		translator_copy_string(t, first + i);
		bpf_jump_if_value(code, BPF_JSLE, BPF_REG_0, 0, lost);
		bpf_jump_if_value(
			code, BPF_JSGT, BPF_REG_0, (int32_t)t->reduction->string_bytes, lost);
		bpf_write(code, BPF_REG_7,
			(int)(key->kind == KERNEL_KEY_LISTED ? kernel_sent_word(layout, key->place)
							     : layout->length),
			BPF_REG_0, 8);
		bpf_operate_value(code, BPF_ADD, BPF_REG_0, KERNEL_WORD - 1);
		bpf_operate_value(code, BPF_AND, BPF_REG_0, ~(KERNEL_WORD - 1));
		bpf_operate(code, BPF_ADD, BPF_REG_9, BPF_REG_0);
	}
}

/* Copies the stack as records of events have it, unless its number is known. */
static void copy_stack(struct translator *t, const struct kernel_tally *tally)
{
	struct bpf_code *code = t->code;
	uint32_t unknown = bpf_label(code), after = bpf_label(code);

	t->found->sleeps = true;
	for (unsigned i = 0; i < tally->key_count; i++) {
		if (tally->keys[i].kind != KERNEL_KEY_STACK)
			continue;
		bpf_read(code, BPF_REG_1, KERNEL_FRAME, t->area + (int)tally->keys[i].place, 8);
		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, unknown);
	}
	bpf_jump(code, after);
	bpf_place(code, unknown);
	for (int i = 0; i < KERNEL_SENT_STACK; i += KERNEL_PAGE) {
		bpf_read(code, BPF_REG_3, BPF_REG_6, KERNEL_RSP, 8);
		bpf_operate_value(code, BPF_AND, BPF_REG_3, ~(KERNEL_PAGE - 1));
		bpf_operate_value(code, BPF_ADD, BPF_REG_3, i);
		point_to_next(t);
		bpf_set(code, BPF_REG_2, KERNEL_PAGE);
		bpf_call(code, BPF_FUNC_copy_from_user);
		bpf_jump_if_value(code, BPF_JNE, BPF_REG_0, 0, after);
		bpf_write_value(
			code, BPF_REG_7, offsetof(struct kernel_sent, copied), i + KERNEL_PAGE, 4);
		bpf_operate_value(code, BPF_ADD, BPF_REG_9, KERNEL_PAGE);
	}
	bpf_place(code, after);
}

void translator_send(struct translator *t, const struct kernel_tally *tally, unsigned first,
	int value, int increment)
{
	struct kernel_generator *g = t->g;
	uint32_t lost = bpf_label(t->code), sent = bpf_label(t->code);
	struct kernel_sent_layout layout;

	kernel_send_lay_out(t->reduction, tally, &layout);
	kernel_need_site(g);
	kernel_generate_staging(g, lost);
	bpf_set(t->code, BPF_REG_9, layout.begin);
	write_words(t, tally, &layout, value, increment);
	copy_strings(t, tally, &layout, first, lost);
	if (layout.registers)
		copy_stack(t, tally);
	kernel_generate_head(g);
	bpf_write_value(
		t->code, BPF_REG_7, offsetof(struct kernel_head, kind), KERNEL_RECORD_UPDATE, 2);
	bpf_move(t->code, BPF_REG_8, BPF_REG_9);
	kernel_leave_site(g);
	kernel_generate_output(g, lost);
	bpf_jump(t->code, sent);
	bpf_place(t->code, lost);
	translator_count_drop(t);
	bpf_place(t->code, sent);
	translator_find_frame(g, g->without);
}
