/*
 * world.h: stopping all capabilities, so that one may change what they share.
 */
#ifndef TOY_WORLD_H
#define TOY_WORLD_H

#include "vm.h"

/*
 * Waits until every other capability stands at a safepoint or is idle. When another one
 * stops the world first, takes part in that; then, if a collection was done meanwhile
 * and *collections (if not NULL) is out of date, or the program ends, there is nothing
 * left to do. Returns whether the world stands. Without the VM's lock.
 */
bool world_stop(struct capability *cap, struct vmtap_name *reason, const uint64_t *collections);
void world_resume(struct capability *cap, struct vmtap_name *reason);
/* With the VM's lock: if the world is being stopped, stands still until it resumes. */
void world_park(struct capability *cap);

#endif
