/*
 * process_batch.h: makes batches of the records that are in a kernel source's ring.
 */
#ifndef VMTAP_KERNEL_PROCESS_PROCESS_BATCH_H
#define VMTAP_KERNEL_PROCESS_PROCESS_BATCH_H

#include "source/source.h"

struct kernel_source;

/* Makes the next batch, which may be empty, and sets when to read the ring again. Returns the state
 * of the source; with SOURCE_BROKEN, a line is in error. */
enum source_state kernel_batch_take(
	struct kernel_source *kernel, struct event_batch *batch, struct error *error);

#endif
