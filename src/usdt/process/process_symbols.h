/*
 * process_symbols.h: the symbols of all processes and of the kernel of this machine. What is
 * needed is read when a process, or the kernel, is first asked about.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_PROCESS_PROCESS_SYMBOLS_H
#define VMTAP_USDT_PROCESS_PROCESS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/symbol_lookup.h"

struct heard_code;
struct process_symbols;

/* heard: what is heard of processes while they live; NULL: nothing. NULL without memory. */
struct process_symbols *process_symbols_new(const struct heard_code *heard);
void process_symbols_free(struct process_symbols *symbols);

/* Lives as long as the symbols. */
const struct symbol_lookup *process_symbols_lookup(const struct process_symbols *symbols);

/*
 * Says how many addresses of processes had no function's name when they were looked up, and why.
 * Returns whether that is for a reason other than the files' own: names may have been lost.
 */
bool process_symbols_unnamed(const struct process_symbols *symbols, char *text, size_t size);

#endif
