/*
 * capture_generator.h: what the generators of a BPF program's parts share: the plan, the maps,
 * places on the program's stack, and the code that several parts need.
 *
 * R6 points to the registers (struct pt_regs) in the whole program. They are the program's context,
 * except at system calls.
 */
#ifndef VMTAP_KERNEL_CAPTURE_CAPTURE_GENERATOR_H
#define VMTAP_KERNEL_CAPTURE_CAPTURE_GENERATOR_H

#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/capture/plan.h"
#include "kernel/capture/stack_slot.h"

/*
 * The thread's own memory has what carried-out clauses need besides the stack (stack_slot.h). This
 * register points to its end; places in it are negative, and begin where those on the stack end,
 * below -STACK_SLOTS_BYTES.
 */
enum { KERNEL_FRAME = BPF_REG_8, KERNEL_FRAME_BYTES = 2048 };

enum { KERNEL_PRIVILEGE_MASK = 3 }; /* in cs; 0 in the kernel */

struct kernel_generator {
	struct bpf_code *code;
	const struct kernel_plan *plan;
	const struct kernel_maps *maps;
	const struct bpf_features *features;
	struct stack_slots slots;
	uint32_t done, lost, unreadable;
	uint32_t without;     /* for clauses that are carried out: their frame cannot be had */
	bool has_site;        /* its number is on the stack */
	bool reads_arguments; /* some are in memory */
	bool is_staged;       /* the record is in the thread's own memory */
};

/* Leaves the site's number in its slot, unless it is there in the whole program. Give the slot back
 * by kernel_leave_site(). */
void kernel_need_site(struct kernel_generator *g);
void kernel_leave_site(struct kernel_generator *g);

/* Returns where an argument is in a record. */
static inline uint32_t kernel_argument_place(unsigned argument)
{
	return (uint32_t)sizeof(struct kernel_head) + 8 * argument;
}

/* Ends the program unless all conditions of the plan hold; changes R0 to R5 and R7. */
void kernel_generate_conditions(struct kernel_generator *g);

/* Notes argument 0 for the thread, until the system call returns. Changes R0 to R5. */
void kernel_generate_note(struct kernel_generator *g);

/* Leaves the argument in R0, extended to 64 bits; changes R1 to R5. */
void kernel_generate_argument(struct kernel_generator *g, unsigned argument);

/* Leaves the address of a part of memory in R3; changes R1 and R2. */
void kernel_generate_piece(struct kernel_generator *g, const struct kernel_part *part);

/*
 * Ends a part of varying length: R0 is the number of bytes that were written at the next place, or
 * negative. The part's length is written at length_place, 0 if R0 is negative or above the limit.
 */
void kernel_generate_advance(struct kernel_generator *g, uint32_t length_place, uint32_t limit);

/*
 * Writes a part of varying length: R9 bytes of memory at the address in R3; R9 is at most the
 * limit. If they cannot be read, the part's length stays what it is.
 */
void kernel_generate_bytes(struct kernel_generator *g, uint32_t length_place, uint32_t limit);

/* Writes the plan's parts into the record in R7, except those that are read late; those of varying
 * length begin at R8 in it. */
void kernel_generate_parts(struct kernel_generator *g);

/* Writes one of these to the place in STACK_SLOT_NEXT, which it moves. Changes R0 to R5, R8, R9.
 */
void kernel_generate_late(struct kernel_generator *g, uint32_t part);

/* Writes the head of the record in R7, except the time; changes R0 to R5. */
void kernel_generate_head(struct kernel_generator *g);
void kernel_generate_time(struct kernel_generator *g);

/* R7 = memory of the thread for a record; goes to `without` if there is none. */
void kernel_generate_staging(struct kernel_generator *g, uint32_t without);

/* Puts the first R8 bytes of that memory into the ring; goes to `full` if the ring has no room.
 * Changes R0 to R5. */
void kernel_generate_output(struct kernel_generator *g, uint32_t full);

/*
 * Notes a thread's clocks (struct kernel_clock) in memory, and does it again if the kernel has set
 * one of them meanwhile. Changes R0 to R5, and the register `task`.
 */
void kernel_generate_clock(struct kernel_generator *g, int base, int place, int task);

/* Leaves the parent process's number in our pid namespace in R1; 0 if it has none there or is not
 * known. Changes R0 to R5. */
void kernel_generate_parent(struct kernel_generator *g);

/* Counts an event of the site as lost; changes R0 to R5. */
void kernel_generate_loss(struct kernel_generator *g);

/*
 * Calls user_reader, which is kernel_user_reader() or bpf_probe_read_user_str(), with the arguments
 * in R1 to R3. If the address is the kernel's and the plan allows it, calls the function that reads
 * the kernel's memory instead.
 */
void kernel_generate_read(struct kernel_generator *g, int user_reader);

/* Reads bytes of the process from the address in R3 to the address in R1; R0 is 0 on success. */
void kernel_generate_user_read(struct kernel_generator *g, uint32_t bytes);

/*
 * Returns the kernel's function that reads memory of the process. It may sleep if the program may.
 */
int kernel_user_reader(const struct kernel_plan *plan);

#endif
