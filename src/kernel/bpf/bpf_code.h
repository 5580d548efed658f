/*
 * bpf_code.h: writes BPF instructions. A program is built in order; a jump may name a label that
 * is placed later. When memory or a limit is exceeded, further instructions are dropped and
 * bpf_code_end() says so, so that callers check only once.
 */
#ifndef VMTAP_KERNEL_BPF_BPF_CODE_H
#define VMTAP_KERNEL_BPF_BPF_CODE_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bpf_fixup {
	uint32_t at, label;
};

struct bpf_code {
	struct bpf_insn *instructions;
	size_t count, capacity;
	uint32_t *labels; /* by label: its instruction + 1, 0: not placed yet */
	size_t label_count, label_capacity;
	struct bpf_fixup *fixups;
	size_t fixup_count, fixup_capacity;
	bool failed;
	bool is_faulty; /* what generates the program has made a mistake */
};

void bpf_code_begin(struct bpf_code *code);
void bpf_code_free(struct bpf_code *code);

/* Resolves all jumps. Returns 0, -ENOMEM, -E2BIG if a jump is too far, or -EPROTO if the program
 * is faulty. */
int bpf_code_end(struct bpf_code *code);

uint32_t bpf_label(struct bpf_code *code);
void bpf_place(struct bpf_code *code, uint32_t label);

/* Registers are BPF_REG_0 ... BPF_REG_10; sizes are in bytes: 1, 2, 4 or 8. */
void bpf_move(struct bpf_code *code, int to, int from);
void bpf_set(struct bpf_code *code, int to, uint64_t value);
void bpf_set_map(struct bpf_code *code, int to, int map);
/* Sets the register to the address of a byte of an array map's value number 0. */
void bpf_set_map_value(struct bpf_code *code, int to, int map, uint32_t offset);
/* operation: BPF_ADD, BPF_AND, ...; on 64 bits */
void bpf_operate(struct bpf_code *code, int operation, int to, int from);
void bpf_operate_value(struct bpf_code *code, int operation, int to, int32_t value);
/* Extends the low bytes of a register to 64 bits. */
void bpf_extend(struct bpf_code *code, int reg, unsigned size, bool is_signed);
/* Reverses the order of the eight bytes. */
void bpf_swap(struct bpf_code *code, int reg);
void bpf_read(struct bpf_code *code, int to, int base, int offset, unsigned size);
void bpf_write(struct bpf_code *code, int base, int offset, int from, unsigned size);
void bpf_write_value(struct bpf_code *code, int base, int offset, int32_t value, unsigned size);
/* operation: BPF_ADD, BPF_ADD | BPF_FETCH, BPF_CMPXCHG, ...; 8 bytes */
void bpf_atomic(struct bpf_code *code, int operation, int base, int offset, int from);
/* comparison: BPF_JEQ, BPF_JGT, ...; on 64 bits */
void bpf_jump(struct bpf_code *code, uint32_t label);
void bpf_jump_if(struct bpf_code *code, int comparison, int one, int other, uint32_t label);
void bpf_jump_if_value(
	struct bpf_code *code, int comparison, int reg, int32_t value, uint32_t label);
void bpf_call(struct bpf_code *code, int helper);
/* Reads up to 8 bytes of the kernel's memory at an offset from R3, by way of a place on the stack,
 * to a register: extended with zeroes, 0 if they cannot be read. Changes R0 to R5. */
void bpf_read_kernel(struct bpf_code *code, int to, uint32_t offset, uint32_t bytes, int place);
void bpf_call_kernel(struct bpf_code *code, uint32_t function);
void bpf_exit(struct bpf_code *code);

#endif
