/*
 * server_state.h: what the files of the server share. server.c has the thread and its turns,
 * server_poll.c how it waits, turn.c who takes the turns if there is no thread, admission.c the
 * connections, subscription.c what clients request, pace.c the time between drains, lossless.c the
 * clients that the VM waits for, log_watch.c what clients hear of a full log, and awaited.c the VM
 * that waits for its first client. Only the server's thread, or the thread that takes a turn, uses
 * the struct, but for what is noted below. A child of fork() has a copy of any moment.
 */
#ifndef VMTAP_SHIM_SERVER_SERVER_STATE_H
#define VMTAP_SHIM_SERVER_SERVER_STATE_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "shim/core/descriptor.h"
#include "shim/core/process.h"
#include "shim/core/stamp.h"
#include "shim/server/pace.h"
#include "shim/server/server_socket.h"
#include "shim/server/watch.h"
#include "shim/stream/client.h"
#include "shim/stream/drain.h"

enum {
	SERVER_CLIENTS_MAX = 64,
	POLLED_SAMPLER = 2, /* in what is polled, after the eventfd and the socket */
	POLLED_CLIENTS,
	SERVER_POLLED_MAX = SERVER_CLIENTS_MAX + POLLED_CLIENTS,
	SERVER_DRAIN_MS = 1, /* between drains while events come */
	SERVER_IDLE_MS = 20  /* while none come */
};

struct server {
	bool has_thread; /* else threads of the VM take its turns, see turn.h */
	pthread_t thread;
	struct watch watch;           /* without a thread: what the VM's loop polls */
	bool ended;                   /* without a thread: finish() has been called */
	const sigset_t *waiting_mask; /* without a thread: the signal mask while finish() waits;
					 NULL: it changes none */
	bool left_in_parent; /* this process is a child of the one that the server runs in */
	int mark;            /* without a thread: a file by whose name the process is found */
	struct descriptor_file mark_file;
	struct server_socket endpoint;
	int wake; /* eventfd */
	struct descriptor_file wake_file;
	uint32_t queue_bytes;
	uint32_t flush_ms;
	struct drain drain;
	struct process process;
	struct client *clients; /* changed by one store each time */
	unsigned client_count;
	uint64_t accept_after;    /* CLOCK_MONOTONIC; 0: accept at once */
	unsigned accept_pause_ms; /* the last pause after an error; 0: the last call succeeded */
	bool awaits_place;        /* all places are used, and a client waits for one */
	uint64_t full_since;      /* CLOCK_MONOTONIC: since when it does */
	_Atomic bool stopping;    /* set before the eventfd is written to */
	_Atomic int rest;         /* of the thread, see server_poll.c */
	bool wake_refused; /* the eventfd cannot be read: it is not polled, and stopping is read
			      regularly instead */
	bool cannot_wait;  /* every system call that waits is refused: the stream must end */
	bool listening;
	struct sampling sampling;
	bool counts_bytes; /* samples by bytes are asked for: allocation guards are open */
	bool watches;      /* a thread waited for a lossless client at the server's last check */
	bool log_is_full;  /* the log's file could not be written at the last attempt */
	uint32_t log_failures; /* how often it has become so */
	uint32_t lossless_ms;
	bool refuses_lossless;
	struct pace pace;
	uint32_t known_types; /* number of event types that existed when the guards were last set */
	bool unapplied;       /* nor have they been set since the clients' wishes changed */
	bool debugs;          /* VMTAP_DEBUG names "server" */
	bool ending;          /* guards stay closed, whatever clients still request */
};

/* The present time in the stream. */
static inline uint64_t server_now(const struct server *server)
{
	return clock_monotonic() - server->drain.clock.zero;
}

/* Lowers a timeout of poll(). */
static inline void server_shorten(int *timeout_ms, int limit_ms)
{
	if (*timeout_ms < 0 || limit_ms < *timeout_ms)
		*timeout_ms = limit_ms;
}

/* Writes a line about what the server does to standard error, if VMTAP_DEBUG asks for it. */
__attribute__((format(printf, 2, 3))) void server_say(
	const struct server *server, const char *format, ...);

#endif
