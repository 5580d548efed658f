/*
 * world.h: stopping all capabilities, so that one may change what they share.
 */
#ifndef TOY_WORLD_H
#define TOY_WORLD_H

#include "vm.h"

/*
 * Waits until every other capability is at a safepoint or idle. If another capability stops
 * the world first, takes part in that. If a collection was done meanwhile, so that
 * *collections (if not NULL) is out of date, or if the program ends, nothing is left to do
 * and this returns false. Returns whether the world is stopped. Without the VM's lock.
 */
bool world_stop(struct capability *cap, struct vmtap_name *reason, const uint64_t *collections);
void world_resume(struct capability *cap, struct vmtap_name *reason);
/*
 * The same from outside, for the thread of another VM: waits until all capabilities are at a
 * safepoint or idle. The caller, whose own capability is actor, then acts as the first one. False:
 * the VM does not run. Only one thread at a time may hold VMs, and besides them it has stopped at
 * most its own world: process_stop() sees to both.
 */
bool world_hold(struct vm *vm, struct capability *actor, struct vmtap_name *reason);
void world_release(struct vm *vm, struct vmtap_name *reason);
/* With the VM's lock: if the world is being stopped, waits until it resumes. */
void world_park(struct capability *cap);

#endif
