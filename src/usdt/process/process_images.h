/*
 * process_images.h: the ELF images that a running process has mapped, and what its memory
 * shows about their probes.
 *
 * A process may live in another mount namespace, and its files may have been replaced or
 * deleted since it started. An image is therefore opened through /proc/PID/map_files if that
 * is allowed, else through /proc/PID/exe or /proc/PID/root and the path; it is used only if
 * its inode shows that it is the mapped file.
 */
#ifndef VMTAP_USDT_PROCESS_PROCESS_IMAGES_H
#define VMTAP_USDT_PROCESS_PROCESS_IMAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "usdt/elf/image.h"

#define USDT_VDSO_PATH "[vdso]" /* the kernel's name for the mapping */

struct usdt_mapping {
	uint64_t begin, end; /* addresses in the process */
	uint64_t offset;     /* in the file */
	bool is_executable, is_writable;
};

struct usdt_object {
	char *path; /* in the process's own mount namespace, without " (deleted)" */
	uint64_t inode;
	unsigned int device_major, device_minor;
	size_t mapping_count, mapping_room;
	struct usdt_mapping *mappings; /* sorted by address */
	struct usdt_image *image;      /* NULL if it could not be read or is not an ELF file */
	char *problem;     /* the reason in that case, one line; NULL if it is not an ELF file */
	uint64_t heard_at; /* CLOCK_MONOTONIC; it is known only from what was heard then; or 0 */
};

struct usdt_process {
	pid_t pid;
	pid_t thread; /* whose view of it is read: another one if the main thread has ended */
	size_t object_count, object_room;
	struct usdt_object *objects; /* sorted by lowest address */
	size_t anonymous_count, anonymous_room;
	struct usdt_mapping *anonymous; /* executable memory without a file; sorted by address */
	struct usdt_mapping vdso;       /* the kernel's vdso; begin 0 if there is none */
	size_t former_vdso_count, former_vdso_room;
	struct usdt_mapping *former_vdsos; /* of programs that it has executed before */
	int memory;                        /* /proc/PID/mem, -1 if it may not be read */
};

/*
 * Reads the present state of a process. On failure returns a negative errno and leaves
 * "process PID: reason" in error; *process is NULL. Objects that cannot be read are not a
 * failure.
 */
int usdt_process_open(pid_t pid, struct usdt_process **process, struct error *error);
void usdt_process_free(struct usdt_process *process);

/*
 * A thread of the process that runs or will run, the main thread if possible; 0: there is none, or
 * the last ones are ending and fire no probe any more.
 */
pid_t usdt_process_thread(pid_t pid);

/* Like usdt_process_open(), but reads only the mappings: no images, no memory. */
int usdt_process_map(pid_t pid, struct usdt_process **process, struct error *error);

struct heard_mapping;

/* A process that has ended, without mappings; NULL without memory. */
struct usdt_process *usdt_process_ended(pid_t pid);

/*
 * Adds what was heard of the process's mappings (usdt/process/heard_code.h), where it is not known
 * to have others. 0 or -ENOMEM.
 */
int usdt_process_hear(
	struct usdt_process *process, const struct heard_mapping *mappings, size_t count);

/* Whether some of the file is mapped as code. */
bool usdt_object_has_code(const struct usdt_object *object);

/*
 * For a process from usdt_process_map(): reads the image of an object, unless it is mapped without
 * code. 0 or -ENOMEM.
 */
int usdt_object_read(const struct usdt_process *process, struct usdt_object *object);
/* And lets its memory be read. */
void usdt_process_open_memory(struct usdt_process *process);

struct stat;

/* The status of the mapped file, if it can be had without opening it. */
bool usdt_object_status(
	const struct usdt_process *process, const struct usdt_object *object, struct stat *status);

/* Opens the mapped file; returns a descriptor or a negative errno. */
int usdt_object_file(const struct usdt_process *process, const struct usdt_object *object);

/*
 * The address in the process of a byte of an object's file, in an executable or a writable
 * mapping, as requested; 0 if there is none.
 */
uint64_t usdt_object_address(const struct usdt_object *object, uint64_t offset, bool writable);

/* Reads the process's memory. 0, or a negative errno. */
int usdt_process_memory(
	const struct usdt_process *process, uint64_t address, void *bytes, size_t count);

#endif
