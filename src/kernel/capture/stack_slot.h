/*
 * stack_slot.h: the places on the stack of a generated program. Purposes that never need a place at
 * the same time share it. So while the program is generated, code that writes to a place takes it,
 * and gives it back when what it has written has been read. What is written before a jump and read
 * at its label is taken at both. Unless NDEBUG is defined, it is a fault to take a slot while
 * another purpose uses some of its bytes, or to use one without taking it; then the program is
 * refused (stack_slots_end()).
 *
 * A program must not use 64 bytes or more: from Linux 6.13 on, the stack of such a program is
 * memory of the processor, which other threads overwrite while this one waits for a page. (The
 * verifier rounds the size up to 16 bytes.)
 */
#ifndef VMTAP_KERNEL_CAPTURE_STACK_SLOT_H
#define VMTAP_KERNEL_CAPTURE_STACK_SLOT_H

#include <stdbool.h>
#include <stdint.h>

enum stack_slot {
	STACK_SLOT_IDS,   /* tid, then pid, as struct bpf_pidns_info has them */
	STACK_SLOT_VALUE, /* a value that is read, or the key of a map */
	STACK_SLOT_DYNPTR,
	STACK_SLOT_SITE,    /* the number of the site */
	STACK_SLOT_STEP,    /* how many steps a walk over directories has made */
	STACK_SLOT_TIME,    /* of clauses that are carried out */
	STACK_SLOT_FAULT,   /* code, then the offset in the clause's code */
	STACK_SLOT_NEXT,    /* while clauses are followed: R8 of the record, */
	STACK_SLOT_FRAME,   /* and what R8 */
	STACK_SLOT_SELF,    /* and R9 are in their code */
	STACK_SLOT_CONTEXT, /* the program's; only of programs that never sleep */
	STACK_SLOTS
};

/* Above this end of the slots that any program may have; KERNEL_FRAME has what is below. */
enum { STACK_SLOTS_BYTES = 48 };

struct stack_slots {
	uint32_t taken; /* by slot: a bit */
	bool is_faulty;
};

/* Takes a slot. Returns its place, which is below R10 and thus negative. */
int stack_slot_take(struct stack_slots *slots, enum stack_slot slot);

void stack_slot_give_back(struct stack_slots *slots, enum stack_slot slot);

/* Returns the place of a slot that is taken. */
int stack_slot_place(struct stack_slots *slots, enum stack_slot slot);

/* Returns whether all slots have been given back, and no fault was found. */
bool stack_slots_end(const struct stack_slots *slots);

#endif
