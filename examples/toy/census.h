/*
 * census.h: samples of the heap, for clients of the event stream: how many bytes the live
 * objects of each class take, or those allocated at each line, in all VMs of the process. The first
 * capability that reaches a safepoint stops the VMs, collects all garbage, and counts what is left.
 */
#ifndef TOY_CENSUS_H
#define TOY_CENSUS_H

#include <stdbool.h>

struct capability;
struct process;

/* Offers the census to the library, before the stream starts. by_site: else by class. */
void census_register(struct process *process, bool by_site);
/* At a safepoint, when vmtap_census_wanted(): takes the sample unless another capability does. */
void census_take(struct capability *cap);

#endif
