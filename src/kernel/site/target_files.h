/*
 * target_files.h: a process that the kernel source traces: its files, and the sites of probes in
 * them.
 */
#ifndef VMTAP_KERNEL_SITE_TARGET_FILES_H
#define VMTAP_KERNEL_SITE_TARGET_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/site/function_places.h"
#include "kernel/site/probe_site.h"
#include "usdt/process/process_images.h"

struct d_asked;
struct error;

/* A mapped file in which probes are. */
struct kernel_file {
	const struct usdt_object *object;
	int descriptor;   /* kept open, so that a link can name it by /proc/self/fd; -1: not yet */
	const char *name; /* its path's last part */
	bool is_known;    /* its probes are another target's */
	bool is_seen;     /* it is known to have none, and has not been read */
};

/* A site of a probe that can not be attached to, or not at all fired. */
#define KERNEL_NO_PROBE UINT32_MAX

struct kernel_obstacle {
	uint32_t probe;     /* or KERNEL_NO_PROBE: a description that matches none */
	const char *reason; /* "/usr/bin/x: 0x1234: ..." */
};

struct kernel_target {
	uint32_t pid;
	bool is_shared;              /* its sites are for all processes that map the files */
	bool has_stream;             /* which will deliver the probes that are made with libvmtap */
	const struct d_asked *asked; /* only probes that these describe are added */
	size_t asked_count;          /* 0: all are */
	struct usdt_process *process;
	struct arena texts, operands;
	struct kernel_file *files;
	uint32_t file_count;
	struct kernel_site *sites;
	size_t site_count, site_capacity;
	bool may_miss;               /* a description that matches nothing is an obstacle only */
	struct pid_finder *finder;   /* NULL: no description is of the pid provider */
	struct kernel_places places; /* probes that it has found */
	size_t left_count;           /* sites that were left to the stream */
	struct kernel_obstacle *obstacles;
	size_t obstacle_count, obstacle_capacity;
};

/*
 * Files already scanned that had nothing to attach to. A later change makes a file unknown.
 */
struct kernel_seen_file {
	uint64_t inode;
	uint32_t device_major, device_minor;
	int64_t changed; /* its ctime, ns */
};

struct kernel_seen {
	struct kernel_seen_file *files;
	size_t count, capacity;
};

/* Adds a target's file. Returns 0 or -ENOMEM. */
int kernel_target_see(struct kernel_target *target, uint32_t file, struct kernel_seen *seen);

/* Reads what the process has mapped. Returns 0, or a negative errno with a line in error. */
int kernel_target_open(struct kernel_target *target, uint32_t pid, struct error *error);
void kernel_target_close(struct kernel_target *target);

/*
 * The same for a process that shares files with other targets (known); these files are not read
 * again. known[0], or NULL, is what the process had mapped at the last scan: files of which it has
 * mapped more since are read. Of the other targets, only files that are open count. Files that have
 * been seen and have not changed are not read either; seen may be NULL.
 */
int kernel_target_open_later(struct kernel_target *target, uint32_t pid,
	const struct kernel_target *const *known, size_t known_count,
	const struct kernel_seen *seen, struct error *error);

/* Each adds one to the target and returns 0 or -ENOMEM. The arguments of a site are copied, too. */
int kernel_target_add_site(struct kernel_target *target, const struct kernel_site *site);
int kernel_target_add_obstacle(struct kernel_target *target, uint32_t probe, const char *format,
	...) __attribute__((format(printf, 3, 4)));

/* Replaces each number n of a probe by numbers[n]. */
void kernel_target_renumber(struct kernel_target *target, const uint32_t *numbers);

/* Returns the file's descriptor, which is opened at the first call, or a negative errno. */
int kernel_target_file(struct kernel_target *target, uint32_t file);

#endif
