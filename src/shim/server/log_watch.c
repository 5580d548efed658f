/* log_watch.c: see log_watch.h. */
#include "shim/server/log_watch.h"

#include <errno.h>
#include <stdio.h>

#include "shim/server/server_state.h"

enum { AGAIN_S = 10 /* between two messages to one client */ };

/* strerror() may allocate memory and take locks. */
static const char *error_words(int error)
{
	switch (error) {
	case ENOSPC:
		return "its disk is full";
	case EDQUOT:
		return "the quota of its disk is used up";
	case EFBIG:
		return "it would be longer than files may be";
	case EPIPE:
		return "nobody reads the pipe";
	default:
		return "writing fails";
	}
}

static const struct client *log_of(const struct server *server)
{
	const struct client *client = server->clients;

	while (client && !client->is_log)
		client = client->next;
	return client;
}

/* Returns false if there is no room for the message in the client's queue, or no log. */
static bool tell(const struct server *server, struct client *client)
{
	const struct client *log = log_of(server);
	char text[200];

	if (!log)
		return false;
	snprintf(text, sizeof(text),
		WIRE_MESSAGE "the log of VMTAP_LOG lacks events after %llu bytes: %s",
		(unsigned long long)log->log.length, error_words(log->log.error));
	if (!encode_message(&client->encoder, text, server_now(server)))
		return false;
	client->log_failures = server->log_failures;
	client->log_told_at = clock_monotonic();
	return true;
}

void log_watch_note(struct server *server, const struct client *log)
{
	if (log->log.full && !server->log_is_full) {
		server->log_failures++;
		server_say(server, "the log lacks events after %llu bytes: %s",
			(unsigned long long)log->log.length, error_words(log->log.error));
	}
	server->log_is_full = log->log.full;
}

void log_watch_tell(const struct server *server, struct client *client)
{
	if (client->is_log || !client->subscribed || client->gone || client->end_queued ||
		client->log_failures == server->log_failures ||
		(client->log_told_at &&
			clock_monotonic() - client->log_told_at < AGAIN_S * CLOCK_NS_PER_S))
		return;
	tell(server, client);
}

void log_watch_greet(const struct server *server, struct client *client)
{
	client->log_failures = server->log_failures;
	if (server->log_is_full)
		tell(server, client);
}
