/*
 * fault.h: the file in which the calls of vmtap and its test points are counted; see fault.c.
 */
#ifndef TESTS_SURVIVE_FAULT_H
#define TESTS_SURVIVE_FAULT_H

#include <stdatomic.h>
#include <stdint.h>

enum { FAULT_SITES_MAX = 4096, FAULT_POINTS_MAX = 256 };

struct fault_site {
	_Atomic uintptr_t address; /* where the call returns to; 0: unused */
	uint32_t function;         /* row of fault_table.h, counted from 1 */
	_Atomic uint32_t count;
};

struct fault_point {
	const char *_Atomic key;
	char name[48];
	_Atomic uint32_t count;
};

struct fault_file {
	_Atomic uint32_t failed; /* how many calls were made to fail */
	struct fault_site sites[FAULT_SITES_MAX];
	struct fault_point points[FAULT_POINTS_MAX];
};

/* Prints the file's contents: one line for each site, with its errors, and each point. */
void fault_print(const struct fault_file *from);

#endif
