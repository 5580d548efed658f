/*
 * decode.h: makes a batch of events from the kernel source's records, according to the plans that
 * the records were made with.
 */
#ifndef VMTAP_KERNEL_CAPTURE_DECODE_H
#define VMTAP_KERNEL_CAPTURE_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "kernel/capture/plan.h"
#include "kernel/capture/ring_records.h"
#include "program/event.h"

struct kernel_cpu_time;
struct usdt_functions;
struct usdt_unwind;

/* The batch that is being made; zeroed at first. */
struct kernel_decoder {
	struct event *events;
	struct event_capture *captures;
	struct event_piece *pieces;
	size_t event_count, event_capacity, capture_capacity, piece_count, piece_capacity;
	struct kernel_cpu_time *times; /* for plans that capture the CPU clock */
	/* of the kernel, if programs run at tracepoints: to leave their frames out; else NULL */
	const struct usdt_functions *functions;
	struct arena frames; /* of the batch's stacks, faults, paths and updates */
};

/* Begins a new batch. What the previous one pointed to becomes invalid. */
void kernel_decode_begin(struct kernel_decoder *decoder);

/* Returns who the record's process is; NULL: the plan does not capture it. */
const struct kernel_identity *kernel_decode_identity(
	const struct kernel_plan *plan, const struct kernel_record *record);

/* Adds the record as an event of a probe, and of the process with this index in the batch. unwind
 * is that of the process; it is used if the plan captures user stacks. Returns 0 or -ENOMEM. */
int kernel_decode_add(struct kernel_decoder *decoder, const struct kernel_record *record,
	const struct kernel_plan *plan, uint32_t probe, uint32_t process,
	struct usdt_unwind *unwind);

/* Adds EVENT_THREAD_END for a record of kind KERNEL_RECORD_END. Returns 0 or -ENOMEM. */
int kernel_decode_end_of_thread(struct kernel_decoder *decoder, const struct kernel_record *record);

/* The same for a record of kind KERNEL_RECORD_UPDATE; NULL: it could not be read. */
int kernel_decode_update(struct kernel_decoder *decoder, const struct kernel_record *record,
	uint32_t probe, uint32_t process, const struct event_update *update);

/* Puts the events that were added into a batch, which is valid as long as the records are. */
void kernel_decode_end(struct kernel_decoder *decoder, struct event_batch *batch);
void kernel_decode_free(struct kernel_decoder *decoder);

#endif
