/*
 * process_filter.c: see process_filter.h. A predicate's code is followed as if each comparison of
 * the pid with a number were false. If the predicate is certain to reject the event then, it
 * rejects the events of all other processes.
 */
#include "kernel/machine/process_filter.h"

#include <stdbool.h>
#include <string.h>

#include "program/builtin.h"
#include "program/opcode.h"

enum { REGISTERS = 256, STEPS_MAX = 4096 };

enum filter_kind { ANYTHING, PID, NUMBER };

struct filter_value {
	enum filter_kind what;
	int64_t number;
};

/* Compares as if the process were another one; *pid is the number that it is compared with. */
static struct filter_value compare(
	const struct filter_value *one, const struct filter_value *other, uint32_t *pid)
{
	const struct filter_value *number = one->what == PID ? other : one;
	bool compares = (one->what == PID) != (other->what == PID) && number->what == NUMBER &&
		number->number > 0 && number->number <= INT32_MAX;

	if (!compares || (*pid && *pid != (uint32_t)number->number))
		return (struct filter_value){ANYTHING, 0};
	*pid = (uint32_t)number->number;
	return (struct filter_value){NUMBER, 0};
}

/* Returns the pid that the predicate of a clause requires; 0 if it does not require exactly one. */
static uint32_t demanded(const struct d_demand *demand)
{
	struct filter_value registers[REGISTERS];
	uint32_t pid = 0;

	memset(registers, 0, sizeof(registers));
	for (size_t i = 0, steps = 0; i < demand->predicate_count && steps < STEPS_MAX;
		i++, steps++) {
		const struct d_instruction *at = &demand->predicate[i];
		const struct filter_value *b = &registers[at->b];
		struct filter_value *a = &registers[at->a];

		switch (at->opcode) {
		case D_OP_BUILTIN:
			*a = (struct filter_value){
				at->immediate == D_BUILTIN_PID ? PID : ANYTHING, 0};
			break;
		case D_OP_INTEGER:
			*a = (struct filter_value){NUMBER, at->immediate};
			break;
		case D_OP_ARGUMENT:
			*a = (struct filter_value){ANYTHING, 0};
			break;
		case D_OP_MOVE:
			*a = *b;
			break;
		case D_OP_EQUAL:
			*a = compare(b, &registers[at->c], &pid);
			break;
		case D_OP_BOOLEAN:
			*a = (struct filter_value){
				b->what == NUMBER ? NUMBER : ANYTHING, b->number != 0};
			break;
		case D_OP_JUMP:
			i = (size_t)at->immediate - 1;
			break;
		case D_OP_JUMP_ZERO:
		case D_OP_JUMP_NOT_ZERO:
			if (b->what != NUMBER)
				return 0;
			if (!b->number == (at->opcode == D_OP_JUMP_ZERO))
				i = (size_t)at->immediate - 1;
			break;
		case D_OP_RETURN:
			return a->what == NUMBER && !a->number ? pid : 0;
		default: /* it may fault, and the fault must be reported */
			return 0;
		}
	}
	return 0;
}

uint32_t kernel_filter_pid(const struct source_want *wants, size_t count)
{
	uint32_t pid = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t wanted = wants[i].demand ? demanded(wants[i].demand) : 0;

		if (!wanted || (pid && wanted != pid))
			return 0;
		pid = wanted;
	}
	return pid;
}
