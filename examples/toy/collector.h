/*
 * collector.h: generational mark and sweep.
 */
#ifndef TOY_COLLECTOR_H
#define TOY_COLLECTOR_H

#include "vm.h"

/*
 * Stops the world and collects: the whole heap if full is true or if the heap has grown a
 * lot, else the young objects. All live values of the calling capability must be on a guest
 * stack. Does nothing if another capability has just collected, unless full is true.
 */
void collector_collect(struct capability *cap, bool full);
/* The same when the world is already stopped; collector_finish() must follow when it runs again. */
void collector_run(struct capability *cap, bool full);
/* What a collection leaves to do while guest code runs. On the OS thread that led it. */
void collector_finish(struct capability *cap);
/* Asks for a collection, full or young, at the capability's next safepoint. */
void collector_request(struct capability *cap, bool full, struct vmtap_name *cause);
/* A capability's part of the marking; the leader takes the global roots as well. */
void collector_mark(struct capability *cap, bool leader);

#endif
