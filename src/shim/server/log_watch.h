/*
 * log_watch.h: tells clients that the log of VMTAP_LOG cannot be written, since nobody else may
 * hear of it: the library writes nothing by itself, and what has no room in the file is not there.
 */
#ifndef VMTAP_SHIM_SERVER_LOG_WATCH_H
#define VMTAP_SHIM_SERVER_LOG_WATCH_H

struct client;
struct server;

/* Notes whether the last attempt to write the log, which is this client, has failed. */
void log_watch_note(struct server *server, const struct client *log);

/* Tells a client that listens, once for each time that the log has become full, but seldom. */
void log_watch_tell(const struct server *server, struct client *client);

/* Tells a client that has just connected, if the log is full at present. */
void log_watch_greet(const struct server *server, struct client *client);

#endif
