/*
 * missed.h: counts events in a child of fork() for the clients that followed its parent
 * (WIRE_FOLLOW), until they connect: the events that they would have received. The child waits for
 * them (awaited.h), but not for ever, and not at all if no client can make the VM wait. A client
 * that connects receives the number of events that it has missed.
 *
 * A child may end before a client has connected. So it passes its counts on, in memory that it
 * shares with its parent, whose server reports them to the client as losses. It does so at every
 * turn, while the client is the parent's. If the parent has ended its stream, the child keeps the
 * counts for a while, until the client connects.
 *
 * The parent's server publishes each follower by one store, so that a child has all of it or
 * nothing. The rest belongs to the child's server.
 */
#ifndef VMTAP_SHIM_STREAM_MISSED_H
#define VMTAP_SHIM_STREAM_MISSED_H

#include <stdbool.h>
#include <stdint.h>

#include "shim/stream/client.h"

/* Notes which of the server's clients follow children, and what they request. */
void missed_note_followers(struct client *clients);

/* Counts as losses of these clients what children have passed on. */
void missed_report(struct client *clients, uint64_t time);

/* Call in the child of fork(). */
void missed_fork_child(void);

/* Begins to count, if the parent had followers. Call it before the guards are set for the first
 * time. */
void missed_begin(void);
/* Ends it, and passes on what has been counted. */
void missed_end(void);

/* Returns true while events are counted. Any thread may call it. */
bool missed_any(void);
/* Passes on what has been counted, and ends the counting if no follower is left that could connect.
 * Returns true if some no longer wait, so that guards may be closed. */
bool missed_check(void);

/* Return true if events of this type are counted, and if those of types to be added will be. */
bool missed_wants(uint32_t event);
bool missed_awaits_types(void);
void missed_count(uint32_t event, uint64_t count);

/* Call when a client's terms apply. If it is a follower, counts what it has missed as its losses;
 * that includes any record that is older than its subscription. */
void missed_tell(struct client *client, uint64_t time);

#endif
