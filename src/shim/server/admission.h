/*
 * admission.h: the connections: accepts clients, at most a fixed number, ends idle ones to admit
 * new ones, and removes those that have left. The log is a client, too.
 */
#ifndef VMTAP_SHIM_SERVER_ADMISSION_H
#define VMTAP_SHIM_SERVER_ADMISSION_H

struct server;

/* Accepts at most a few clients, because the registry's lock is held meanwhile. If that fails, sets
 * when to try again. */
void admission_accept(struct server *server);

/* Opens the log, a client of all events from the server's start on. Call with the registry's
 * lock. */
int admission_open_log(struct server *server, const char *path);

/* Notes the clients whose descriptors the program has closed. */
void admission_check(struct server *server);

/* Closes the connections of clients that have gone. */
void admission_drop_gone(struct server *server);

#endif
