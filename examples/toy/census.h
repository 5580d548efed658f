/*
 * census.h: samples of the heap, for clients of the event stream: how many bytes the live
 * objects of each class take, or those allocated at each line. The first capability that
 * reaches a safepoint stops the world, collects all garbage, and counts what is left.
 */
#ifndef TOY_CENSUS_H
#define TOY_CENSUS_H

struct capability;
struct vm;

/* Offers the VM's census to the library, before the stream starts. */
void census_register(struct vm *vm);
/* At a safepoint, when vmtap_census_wanted(): takes the sample unless another capability does. */
void census_take(struct capability *cap);

#endif
