/*
 * capture_directory.h: the paths of a process's current and root directory when a probe fires.
 *
 * The kernel keeps a path as a chain of names, from the directory to the root of its file system,
 * from there to the mount point, and so on to the top of the process's mount namespace. A program
 * follows the chain twice, and copies the names the first time. If the second pass meets other
 * names or mounts, one of them was just renamed or moved, and the program tries again. If that
 * keeps failing, it captures nothing rather than a path that never existed.
 */
#ifndef VMTAP_KERNEL_CAPTURE_CAPTURE_DIRECTORY_H
#define VMTAP_KERNEL_CAPTURE_CAPTURE_DIRECTORY_H

#include <stdint.h>

struct arena;
struct error;
struct kernel_generator;

/* The most bytes that a part with a path takes, including what the program notes while it walks. */
enum { KERNEL_DIRECTORY_BYTES = 4096 + 512 };

/* Where the kernel keeps what programs follow: offsets in its structs. */
struct kernel_directory_layout {
	uint32_t directories;              /* in struct task_struct: the pointer fs */
	uint32_t current, root;            /* in struct fs_struct: a struct path */
	uint32_t mount, entry;             /* in struct path: the pointers mnt and dentry */
	uint32_t parent;                   /* in struct dentry; the name follows */
	uint32_t chained;                  /* in it: a pointer, NULL if the entry was removed */
	uint32_t top;                      /* in struct vfsmount: mnt_root */
	uint32_t own;                      /* in struct mount: its struct vfsmount */
	uint32_t mount_parent, mountpoint; /* in struct mount */
	uint32_t mount_begin, mount_bytes; /* in it: what is read of it */
};

/* Reads the kernel's BTF, which takes some milliseconds. Returns 0, or -ENOTSUP if the description
 * lacks a struct or member. */
int kernel_directory_find(struct kernel_directory_layout *layout, struct error *error);

/* Captures the path that part number `part` is for. */
void kernel_directory_generate(struct kernel_generator *g, uint32_t part);

/*
 * Puts the captured names together: a path as /proc shows it, which ends with " (deleted)" if the
 * directory has been removed. Returns NULL if nothing was captured or memory runs out.
 */
const char *kernel_directory_path(struct arena *arena, const unsigned char *bytes, uint32_t length);

#endif
