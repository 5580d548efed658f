/*
 * disassemble.h: a program as text, for people and for tests.
 */
#ifndef VMTAP_PROGRAM_DISASSEMBLE_H
#define VMTAP_PROGRAM_DISASSEMBLE_H

#include <stdio.h>

#include "program/program.h"

/* Variables, aggregations and each clause's predicate and body, one instruction a line. */
void d_program_print(FILE *file, const struct d_program *program);

#endif
