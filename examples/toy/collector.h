/*
 * collector.h: generational mark and sweep.
 */
#ifndef TOY_COLLECTOR_H
#define TOY_COLLECTOR_H

#include "vm.h"

/*
 * Stops the world and collects: the whole heap when full or when it has grown a lot,
 * else what is young. All live values of the calling capability must be on a guest
 * stack. Does nothing when another capability has just collected, unless full.
 */
void collector_collect(struct capability *cap, bool full);
/* The same while the world already stands. */
void collector_run(struct capability *cap, bool full);
/* Asks for a full collection at the capability's next safepoint. */
void collector_request(struct capability *cap, bool full);
/* A capability's part of the marking; the leader takes the global roots as well. */
void collector_mark(struct capability *cap, bool leader);

#endif
