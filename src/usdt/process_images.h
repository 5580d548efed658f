/*
 * process_images.h: the ELF images that a running process has mapped, and what can be seen of
 * their probes in its memory.
 *
 * A process may live in another mount namespace and its files may have been replaced or
 * deleted since it started. An image is therefore opened through /proc/PID/map_files
 * where that is allowed, else through /proc/PID/exe or /proc/PID/root and the path, and
 * counts only if it is the file that is mapped, by inode.
 */
#ifndef VMTAP_USDT_PROCESS_IMAGES_H
#define VMTAP_USDT_PROCESS_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "usdt/image.h"

struct usdt_mapping {
	uint64_t begin, end; /* addresses in the process */
	uint64_t offset;     /* in the file */
	bool is_executable, is_writable;
};

struct usdt_object {
	char *path; /* in the process's own mount namespace, without " (deleted)" */
	bool is_deleted;
	uint64_t inode;
	unsigned int device_major, device_minor;
	size_t mapping_count;
	struct usdt_mapping *mappings; /* by address */
	struct usdt_image *image;      /* NULL when it could not be read, or is no ELF file */
	char *problem;                 /* then why, one line, NULL when it is no ELF file */
};

struct usdt_process {
	pid_t pid;
	size_t object_count;
	struct usdt_object *objects; /* by lowest address */
	int memory;                  /* /proc/PID/mem, -1 when it may not be read */
};

/*
 * Looks at a process as it is now. On failure returns a negative errno and leaves
 * "process PID: reason" in error; *process is NULL. Objects that cannot be read do not
 * make it fail.
 */
int usdt_process_open(pid_t pid, struct usdt_process **process, struct error *error);
void usdt_process_free(struct usdt_process *process);

/* As usdt_process_open(), with the mappings alone: no image is read, no memory opened. */
int usdt_process_map(pid_t pid, struct usdt_process **process, struct error *error);

/* Opens the file that is mapped; a descriptor, or a negative errno. */
int usdt_object_file(const struct usdt_process *process, const struct usdt_object *object);

/*
 * The address in the process of a byte of an object's file, in a mapping that is
 * executable, or writable, as asked for; 0 when there is none.
 */
uint64_t usdt_object_address(const struct usdt_object *object, uint64_t offset, bool writable);

/* The process's memory. 0, or a negative errno. */
int usdt_process_memory(
	const struct usdt_process *process, uint64_t address, void *bytes, size_t count);

#endif
