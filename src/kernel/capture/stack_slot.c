/*
 * stack_slot.c: see stack_slot.h. The place of each purpose is fixed, so that the same plan always
 * gives the same program. Only whether a place is free is recorded.
 */
#include "kernel/capture/stack_slot.h"

#include "base/debug.h"

#define LAST_BYTE 56 /* of the stack: see stack_slot.h */

struct slot_place {
	const char *name;
	int place, bytes;
};

static const struct slot_place places[STACK_SLOTS] = {
	[STACK_SLOT_IDS] = {"ids", -8, 8},
	[STACK_SLOT_VALUE] = {"value", -16, 8},
	[STACK_SLOT_DYNPTR] = {"dynptr", -32, 16},
	[STACK_SLOT_SITE] = {"site", -40, 8},
	[STACK_SLOT_STEP] = {"step", -48, 8},
	[STACK_SLOT_TIME] = {"time", -48, 8},
	[STACK_SLOT_FAULT] = {"fault", -32, 8},
	[STACK_SLOT_NEXT] = {"next", -24, 8},
	[STACK_SLOT_FRAME] = {"frame", -32, 8},
	[STACK_SLOT_SELF] = {"self", -48, 8},
	[STACK_SLOT_CONTEXT] = {"context", -56, 8},
};

#ifndef NDEBUG

static bool overlap(const struct slot_place *one, const struct slot_place *other)
{
	return one->place < other->place + other->bytes && other->place < one->place + one->bytes;
}

static void find_fault(
	struct stack_slots *slots, enum stack_slot slot, const char *what, const char *other)
{
	slots->is_faulty = true;
	debug_say(
		DEBUG_KERNEL, "slot %s of a program's stack %s%s", places[slot].name, what, other);
}

static void check_taken(struct stack_slots *slots, enum stack_slot slot)
{
	if (!(slots->taken & 1u << slot))
		find_fault(slots, slot, "is used but not taken", "");
}

static void check_free(struct stack_slots *slots, enum stack_slot slot)
{
	if (places[slot].place < -LAST_BYTE)
		find_fault(slots, slot, "is too far down", "");
	for (unsigned i = 0; i < STACK_SLOTS; i++)
		if (slots->taken & 1u << i && overlap(&places[i], &places[slot]))
			find_fault(
				slots, slot, "is taken while this one is in use: ", places[i].name);
}

#else

static void check_taken(struct stack_slots *slots, enum stack_slot slot)
{
	(void)slots;
	(void)slot;
}

static void check_free(struct stack_slots *slots, enum stack_slot slot)
{
	(void)slots;
	(void)slot;
}

#endif

int stack_slot_take(struct stack_slots *slots, enum stack_slot slot)
{
	check_free(slots, slot);
	slots->taken |= 1u << slot;
	return places[slot].place;
}

void stack_slot_give_back(struct stack_slots *slots, enum stack_slot slot)
{
	check_taken(slots, slot);
	slots->taken &= ~(1u << slot);
}

int stack_slot_place(struct stack_slots *slots, enum stack_slot slot)
{
	check_taken(slots, slot);
	return places[slot].place;
}

bool stack_slots_end(const struct stack_slots *slots)
{
#ifndef NDEBUG
	return !slots->is_faulty && !slots->taken;
#else
	(void)slots;
	return true;
#endif
}
