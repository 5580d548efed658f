/*
 * random_program.h: random D programs that are well typed, with few exceptions. They print nothing
 * that depends on where events come from or on the byte code: no process ids, addresses, numbers of
 * probes or offsets of faults.
 */
#ifndef TESTS_FUZZ_RANDOM_PROGRAM_H
#define TESTS_FUZZ_RANDOM_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct random_program {
	char *text; /* freed by the caller */
	size_t length;
	bool has_events; /* it has clauses for the probes of random_events.h */
};

/* The program of a seed; text is NULL if there is no memory. */
void random_program_make(struct random_program *program, uint64_t seed);

#endif
