/*
 * pid_finder.h: the files that a process has mapped as code, for pid_probe.c. Only pid_probe.c
 * and pid_finder.c include it.
 */
#ifndef VMTAP_USDT_CODE_PID_FINDER_H
#define VMTAP_USDT_CODE_PID_FINDER_H

#include "usdt/code/code_object.h"
#include "usdt/code/pid_probe.h"
#include "usdt/process/process_images.h"

struct pid_file {
	struct pid_module module;
	char *path;
	char *problem;           /* why it cannot be read; NULL: it can */
	struct code_object code; /* of a file that can be read */
	size_t mapping_count;    /* of executable mappings; 0: it is not mapped any more */
	struct usdt_mapping *mappings;
};

struct pid_finder {
	pid_t pid;
	size_t count, capacity;
	struct pid_file **files; /* in the order of their addresses when they were first seen */
	size_t searched;         /* the first ones, in which nothing is looked for any more */
	unsigned leaves;         /* what all files together say (CODE_THROWS...) */
};

/* The address in the process of a byte of the file; 0: not mapped. */
uint64_t pid_file_address(const struct pid_file *file, uint64_t offset);

/* The byte of the file that is mapped at the address; false: another file, or none. */
bool pid_file_offset(const struct pid_file *file, uint64_t address, uint64_t *offset);

#endif
