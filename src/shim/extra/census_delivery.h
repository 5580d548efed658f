/*
 * census_delivery.h: what the server does in each turn for samples of the heap (census.h).
 */
#ifndef VMTAP_SHIM_EXTRA_CENSUS_DELIVERY_H
#define VMTAP_SHIM_EXTRA_CENSUS_DELIVERY_H

struct server;

/*
 * Takes samples of the heap that are due and delivers finished ones. Returns the milliseconds until
 * the next is due, or -1 if none is.
 */
int census_deliver(struct server *server);

#endif
