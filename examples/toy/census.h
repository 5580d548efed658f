/*
 * census.h: samples of the heap, for clients of the event stream: what the live objects of
 * each class take, or those made at each line. The world stops, all garbage is collected,
 * and what is left is counted, by the capability that first comes to a safepoint.
 */
#ifndef TOY_CENSUS_H
#define TOY_CENSUS_H

struct capability;
struct vm;

/* Offers the VM's census to the library, before the stream starts. */
void census_register(struct vm *vm);
/* At a safepoint, when vmtap_census_wanted(): takes the sample unless another does. */
void census_take(struct capability *cap);

#endif
