/*
 * heard_code.h: which code processes have mapped, as somebody who listens to the kernel has told
 * (kernel/watch/heard_mappings.h). A process that lives for milliseconds has often ended before its
 * mappings can be read; what was heard of it names its addresses even so.
 *
 * Mappings stay known when the process executes another program, since events of before may still
 * come; a later mapping of the same addresses replaces them. The processes that were heard of
 * longest ago are forgotten.
 *
 * Not safe to use from several threads at once.
 */
#ifndef VMTAP_USDT_PROCESS_HEARD_CODE_H
#define VMTAP_USDT_PROCESS_HEARD_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heard_code;

struct heard_mapping {
	uint64_t begin, end, offset;
	uint64_t inode;
	unsigned int device_major, device_minor;
	uint64_t time;    /* CLOCK_MONOTONIC, ns */
	const char *path; /* in the process's own mount namespace */
};

/* NULL without memory. */
struct heard_code *heard_code_new(void);
void heard_code_free(struct heard_code *heard);

/* Somebody tells of all that happens from now on; false: another one does so already. */
bool heard_code_begin(struct heard_code *heard);

/* A process has mapped code. Without memory it is not remembered. What is told of a process need
 * not be in the order of time. */
void heard_code_add(struct heard_code *heard, uint32_t pid, const struct heard_mapping *mapping);

/*
 * Reads what a process, or each process of the machine, has mapped now: it may have ended, or may
 * execute another program, before anybody asks for the names of its addresses, and nobody tells of
 * what was mapped before. time is the present. A process that cannot be read is left out.
 */
void heard_code_learn(struct heard_code *heard, uint32_t pid, uint64_t time);
void heard_code_learn_all(struct heard_code *heard, uint64_t time);

/*
 * A process has made another one by fork(), which has the same mappings at first. Of a parent that
 * was there before anybody listened, they are read.
 */
void heard_code_fork(struct heard_code *heard, uint32_t parent, uint32_t child, uint64_t time);

/* What a process has mapped; NULL: nothing was heard of it. Valid until the next call. */
const struct heard_mapping *heard_code_find(
	const struct heard_code *heard, uint32_t pid, size_t *count);

#endif
