/*
 * verify.h: checks that a program is one that the machine can run. The front end produces only such
 * programs. Verifying them once means that no instruction has to check its operands, and that a bug
 * in the front end causes an error, not a wild pointer.
 *
 * It verifies that indices, registers and counts are in range; that jumps go forward and stay
 * inside the code; that there is a return at the end; that a register used as a string holds one on
 * every path (an immediate 0 counts as NULL); and that formats match their arguments.
 */
#ifndef VMTAP_ENGINE_MACHINE_VERIFY_H
#define VMTAP_ENGINE_MACHINE_VERIFY_H

#include <stddef.h>

#include "program/probe.h"
#include "program/program.h"

/* The most that one clause can produce, so that running it allocates nothing. */
struct verify_limits {
	size_t instructions; /* predicate or code */
	size_t records;
	size_t record_values;
};

/* 0, -EINVAL for a malformed program, -ENOMEM. */
int verify_program(const struct d_program *program, const struct d_probe_set *probes,
	struct verify_limits *limits);

#endif
