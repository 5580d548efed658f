/*
 * probe_site.h: a place in a file where the kernel fires a probe, and where the probe's arguments
 * are then. A probe may have many sites, each with other operands.
 */
#ifndef VMTAP_KERNEL_SITE_PROBE_SITE_H
#define VMTAP_KERNEL_SITE_PROBE_SITE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	KERNEL_ARGUMENTS_MAX = 12,
	KERNEL_ERRNO_ARGUMENT = 4, /* of a system call's return; scripts see only those before it */
	KERNEL_CONDITIONS_MAX = 4,
	KERNEL_NOTHING_NOTED = INT32_MIN,
	KERNEL_NO_REGISTER = 0xffff,
	KERNEL_PAGE = 4096
};

/* Offsets of registers in the kernel's struct pt_regs on x86-64. */
enum kernel_register {
	KERNEL_R15 = 0,
	KERNEL_R14 = 8,
	KERNEL_R13 = 16,
	KERNEL_R12 = 24,
	KERNEL_RBP = 32,
	KERNEL_RBX = 40,
	KERNEL_R11 = 48,
	KERNEL_R10 = 56,
	KERNEL_R9 = 64,
	KERNEL_R8 = 72,
	KERNEL_RAX = 80,
	KERNEL_RCX = 88,
	KERNEL_RDX = 96,
	KERNEL_RSI = 104,
	KERNEL_RDI = 112,
	KERNEL_RIP = 128,
	KERNEL_CALL = 120, /* the number of the system call */
	KERNEL_CS = 136,
	KERNEL_RSP = 152,
	KERNEL_REGISTERS_BYTES = 168
};

enum kernel_operand_kind {
	KERNEL_OPERAND_CONSTANT,  /* value */
	KERNEL_OPERAND_REGISTER,  /* base */
	KERNEL_OPERAND_MEMORY,    /* at value + base + index * scale */
	KERNEL_OPERAND_ADDRESS,   /* value + base + index * scale */
	KERNEL_OPERAND_KERNEL_PC, /* of a sample: where the kernel was; 0: not there */
	KERNEL_OPERAND_USER_PC,   /* where the process was; 0: in the kernel */
	KERNEL_OPERAND_RESULT,    /* of a system call; -1 if it fails */
	KERNEL_OPERAND_ERRNO,     /* why it fails; 0: it does not */
	KERNEL_OPERAND_CONTEXT,   /* of a tracepoint: its argument at offset base */
	KERNEL_OPERAND_POINTER,  /* the same of a function, if the verifier knows it as a pointer */
	KERNEL_OPERAND_CURRENT,  /* the thread's struct task_struct */
	KERNEL_OPERAND_FIELD,    /* at value + base, an argument or (KERNEL_NO_REGISTER) the
				    thread; if then is not 0, at then - 1 + the pointer there */
	KERNEL_OPERAND_TARGET,   /* the struct task_struct of the thread whose number is in the
				    register base; 0: of the thread that runs */
	KERNEL_OPERAND_PRIORITY, /* the priority of that thread; its 4-byte field is at value. A
				    higher number is a higher priority */
	KERNEL_OPERAND_NOTED,    /* what was noted at the call's entry (notes in kernel_site) */
	KERNEL_OPERAND_END, /* how the thread ends, CLD_EXITED and so on; fields as for FIELD */
	KERNEL_OPERAND_UNREADABLE, /* a form that BPF cannot read, such as a vector register */
	KERNEL_OPERAND_UNRESOLVED, /* the file has no symbol of its name, or several */
	KERNEL_OPERAND_NONE        /* the site has no such argument: it reads as 0 */
};

/* Registers are given by their offset in the kernel's struct pt_regs. */
struct kernel_operand {
	int64_t value;
	enum kernel_operand_kind kind;
	uint16_t base, index; /* or KERNEL_NO_REGISTER */
	uint8_t scale;
	uint8_t size;  /* bytes of the argument: 1, 2, 4 or 8 */
	uint8_t shift; /* the register's bits from this one on */
	bool is_signed;
	uint32_t then; /* and no padding, so that operands can be compared as bytes */
};

enum kernel_comparison { KERNEL_EQUAL = 1, KERNEL_DIFFERENT, KERNEL_ABOVE };

/* A condition for the probe to fire when its tracepoint does. It has no padding either. */
struct kernel_condition {
	struct kernel_operand operand;
	struct kernel_operand other; /* KERNEL_OPERAND_CONSTANT: its value */
	uint64_t mask;               /* of the operand; 0: all bits */
	uint32_t comparison;         /* 0: there is no condition */
	uint32_t unused;
};

struct bpf_function;

struct kernel_site {
	uint32_t probe;  /* index in the probe set */
	uint32_t file;   /* the source's number of the file */
	uint32_t pid;    /* the process in which it is to fire; 0: all that map the file */
	bool is_sample;  /* fired by a timer on each processor; there is no file */
	bool is_return;  /* when the function at the offset, or the system call, returns */
	bool is_machine; /* fired by a tracepoint of the kernel's; there is no file */
	const char *tracepoint;
	const struct bpf_function *function; /* the kernel's function that fires it; NULL: none */
	const struct kernel_condition *conditions; /* KERNEL_CONDITIONS_MAX; NULL: none */
	bool has_long_nop; /* a 10-byte nop follows the 1-byte nop at the offset */
	bool is_call;      /* fired by a system call */
	bool notes;        /* fires no probe: notes argument 0 until the call returns */
	uint32_t call;     /* its number */
	uint8_t argument_count;
	uint64_t offset;                  /* in the file */
	uint64_t semaphore;               /* its offset in the file; 0: none */
	struct kernel_operand *arguments; /* many sites may share them */
};

#endif
