/*
 * server_samples.h: what the server does in each turn for the samples that clients ask for: of the
 * heap (census.h), and of what the VM runs (sampler.h).
 */
#ifndef VMTAP_SHIM_EXTRA_SERVER_SAMPLES_H
#define VMTAP_SHIM_EXTRA_SERVER_SAMPLES_H

#include <stdbool.h>

struct client;
struct server;

/*
 * Takes samples of the heap that are due and delivers finished ones. Returns the milliseconds until
 * the next is due, or -1 if none is.
 */
int server_samples_heap(struct server *server);

/*
 * Applies the clients' requests for samples, the shortest period and the fewest bytes, and for
 * dumps of the VM's threads.
 */
void server_samples_ask(struct server *server);

/* Tells a client that samples by time how they become due, if it has not been told. False: there is
 * no room for that now. */
bool server_samples_tell(struct server *server, struct client *client);

#endif
