/*
 * verify.h: is a program one that the machine can run? The front end makes only such
 * programs; verifying them once means that no instruction has to test its operands, and
 * that a mistake of the front end is an error and not a wild pointer.
 *
 * Verified are: indices, registers and counts in range; jumps forward and inside; a
 * return at the end; that a register used as a string holds one on every path (an
 * immediate 0 passes as NULL); formats that fit their arguments.
 */
#ifndef VMTAP_ENGINE_VERIFY_H
#define VMTAP_ENGINE_VERIFY_H

#include <stddef.h>

#include "program/probe.h"
#include "program/program.h"

/* The most that one clause can make, so that running it allocates nothing. */
struct verify_limits {
	size_t instructions; /* predicate or code */
	size_t records;
	size_t record_values;
};

/* 0, -EINVAL for a malformed program, -ENOMEM. */
int verify_program(const struct d_program *program, const struct d_probe_set *probes,
	struct verify_limits *limits);

#endif
