/*
 * process_source_private.h: the kernel source, for the files that make it up: its processes
 * (source_members.h), its batches (process_batch.h), and what appears while it runs
 * (new_sites.h).
 */
#ifndef VMTAP_KERNEL_PROCESS_PROCESS_SOURCE_PRIVATE_H
#define VMTAP_KERNEL_PROCESS_PROCESS_SOURCE_PRIVATE_H

#include "kernel/capture/cpu_time.h"
#include "kernel/capture/decode.h"
#include "kernel/capture/ring_records.h"
#include "kernel/capture/shown_processes.h"
#include "kernel/capture/thread_ends.h"
#include "kernel/process/all_processes.h"
#include "kernel/process/probe_alias.h"
#include "kernel/process/process_source.h"
#include "kernel/process/site_group.h"
#include "kernel/reduce/reduce.h"
#include "kernel/reduce/tally.h"
#include "kernel/watch/heard_mappings.h"
#include "kernel/watch/process_watch.h"
#include "source/carried.h"

struct kernel_process;

/* What a descriptor that is waited for belongs to: the number of a process, or one of these. */
#define KERNEL_WAIT_RING UINT64_MAX
#define KERNEL_WAIT_NOTICES (UINT64_MAX - 1)

enum { KERNEL_MESSAGE_BYTES = 1024 };

/* A line for the user. */
struct kernel_message {
	uint32_t pid;
	char text[KERNEL_MESSAGE_BYTES];
};

struct kernel_source {
	struct source source;
	struct d_probe_set *set;
	enum kernel_scope scope;
	struct kernel_aliases aliases; /* not for KERNEL_SCOPE_NAMED; nor the next */
	struct kernel_seen seen;
	struct carried_list carried;
	unsigned flags;        /* of processes that appear later */
	struct d_asked *asked; /* in one block with its texts */
	size_t asked_count;
	struct bpf_features features;
	struct kernel_records records;
	struct kernel_group_ring ring;
	struct kernel_reduction reduction;
	struct kernel_reader reader; /* of what it aggregates */
	uint64_t *updates;           /* lost, by processor */
	struct kernel_process **processes;
	size_t process_count, process_capacity;
	struct kernel_shown shown; /* the processes as batches have them */
	struct kernel_heard heard;
	struct event_process *listed; /* those of the last batch */
	size_t listed_capacity;
	struct kernel_cpu_time times;
	bool has_times;               /* they are open */
	struct kernel_group **groups; /* in the order of their sites' numbers */
	size_t group_count, group_capacity;
	bool is_enabled;               /* not for KERNEL_SCOPE_NAMED */
	struct kernel_all all;         /* for KERNEL_SCOPE_ALL */
	struct kernel_watch *watch;    /* NULL: what processes load later is not traced */
	struct kernel_notice *notices; /* that have not been dealt with */
	size_t notice_count, notice_capacity;
	int wait;     /* epoll: ring, notices and processes */
	bool is_open; /* programs of sites run as soon as they are attached */
	bool stopping, ended, told_missed, told_descriptors;
	uint64_t due;
	uint32_t wait_ms; /* between the last two readings of the ring */
	uint32_t busy_ms;
	struct kernel_decoder decoder;
	struct kernel_ends ends;
	struct kernel_losses losses;
	struct kernel_message *messages; /* that no batch has had yet */
	size_t message_count, message_capacity;
	char message[KERNEL_MESSAGE_BYTES]; /* of the last batch */
};

struct kernel_source *kernel_source_of(const struct source *source);

/* Waits for another descriptor. The number says what it belongs to. */
int kernel_source_wait_for(struct kernel_source *kernel, int descriptor, uint64_t number);

/* Adds a line for the user about a process to one of the next batches. */
__attribute__((format(printf, 3, 4))) void kernel_source_tell(
	struct kernel_source *kernel, uint32_t pid, const char *format, ...);

/* Adds what the target's files carry to what the source carries. Returns 0 or -ENOMEM. */
int kernel_source_carry(struct kernel_source *kernel, const struct kernel_target *target);

/* Returns -EPERM with a line in error if we have no right to read the process: then none of its
 * files can be read. */
int kernel_source_check(const struct kernel_target *target, struct error *error);

/* Makes a group of a target, which it takes over even on failure. Returns 0 or -ENOMEM. */
int kernel_source_keep(struct kernel_source *kernel, struct kernel_target *target, size_t process);

/* Attaches to the wanted probes of a group. Returns 0 or a negative errno with a line in error. */
int kernel_source_attach(struct kernel_source *kernel, struct kernel_group *group,
	const struct source_request *request, struct error *error);

/* Returns the probe of a site's number; NULL: none. context: the source */
const struct d_probe *kernel_source_probe(void *context, uint64_t number);

/* Returns the group of a site's number; NULL: none. */
struct kernel_group *kernel_source_group(const struct kernel_source *kernel, uint32_t site);

#endif
