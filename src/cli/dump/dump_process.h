/*
 * dump_process.h: `vmtap dump` of a process that is no VM: the stacks of its threads, and what each
 * waits for.
 */
#ifndef VMTAP_CLI_DUMP_PROCESS_H
#define VMTAP_CLI_DUMP_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Prints them. may_fail: see thread_stack_take(). Returns an exit status, after a message if it is
 * not CLI_OK. */
int dump_process(uint32_t pid, bool may_fail);

#endif
