/* page_server.c: see page_server.h. */
#include "cli/serve/page_server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#if __has_include(<microhttpd.h>)
#include <microhttpd.h>

#define OPENMETRICS "application/openmetrics-text"

enum {
	CONNECTIONS = 64,
	CONNECTIONS_KEPT =
		32,     /* a further one ends the oldest, so that slow peers keep nobody out */
	TIMEOUT_S = 10, /* without a byte in either direction */
	REQUEST_BYTES = 16 << 10 /* of a connection, for its request */
};

struct open_connection {
	int fd;         /* -1: a free place */
	uint64_t since; /* the value of last when it began, or when its last request ended */
};

struct page_server {
	struct MHD_Daemon *daemon;
	/* Only libmicrohttpd's thread uses these two. last counts the beginnings of connections and
	 * the ends of requests. */
	struct open_connection open[CONNECTIONS];
	uint64_t last;
	pthread_mutex_t lock; /* of pages */
	/* counted by libmicrohttpd: a slow reader keeps an old one */
	struct MHD_Response *pages[PAGE_FORMATS];
	struct MHD_Response *index, *missing, *refused, *foreign;
	char *bound;              /* the host that it was told to listen on */
	const char *const *hosts; /* further ones, up to NULL */
	char url[NI_MAXHOST + NI_MAXSERV + 32];
};

static const char *const types[PAGE_FORMATS] = {
	[PAGE_OPENMETRICS] = OPENMETRICS "; version=1.0.0; charset=utf-8",
	[PAGE_CLASSIC] = "text/plain; version=0.0.4; charset=utf-8",
};

/* ---- connections that last too long ---- */

static struct open_connection *find_open(struct page_server *server, int fd)
{
	for (unsigned i = 0; i < CONNECTIONS; i++)
		if (server->open[i].fd == fd)
			return &server->open[i];
	return NULL;
}

static int connection_fd(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

/* If there are too many connections, ends the one whose last request ended, or that began, longest
 * ago. libmicrohttpd notices that, and closes the descriptor. */
static void end_oldest(struct page_server *server)
{
	struct open_connection *oldest = NULL;
	unsigned count = 0;

	for (unsigned i = 0; i < CONNECTIONS; i++) {
		struct open_connection *open = &server->open[i];

		if (open->fd < 0)
			continue;
		count++;
		if (!oldest || open->since < oldest->since)
			oldest = open;
	}
	if (count <= CONNECTIONS_KEPT)
		return;
	shutdown(oldest->fd, SHUT_RDWR);
	oldest->fd = -1;
}

static void note_connection(void *context, struct MHD_Connection *connection, void **own,
	enum MHD_ConnectionNotificationCode what)
{
	struct page_server *server = context;
	int fd = connection_fd(connection);
	struct open_connection *open;

	(void)own;
	if (fd < 0)
		return;
	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		open = find_open(server, -1);
		if (open)
			*open = (struct open_connection){.fd = fd, .since = ++server->last};
		end_oldest(server);
	} else if ((open = find_open(server, fd))) {
		open->fd = -1;
	}
}

static void note_completed(void *context, struct MHD_Connection *connection, void **seen,
	enum MHD_RequestTerminationCode how)
{
	struct page_server *server = context;
	int fd = connection_fd(connection);
	struct open_connection *open = fd < 0 ? NULL : find_open(server, fd);

	(void)seen;
	(void)how;
	if (open)
		open->since = ++server->last;
}

/* ---- answers ---- */

/* OpenMetrics for those that ask for it. */
static enum page_format wanted_format(struct MHD_Connection *connection)
{
	const char *accepted =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT);

	return accepted && strstr(accepted, OPENMETRICS) ? PAGE_OPENMETRICS : PAGE_CLASSIC;
}

static enum MHD_Result answer_page(struct page_server *server, struct MHD_Connection *connection)
{
	enum page_format format = wanted_format(connection);
	enum MHD_Result result;

	pthread_mutex_lock(&server->lock);
	result = MHD_queue_response(connection, MHD_HTTP_OK, server->pages[format]);
	pthread_mutex_unlock(&server->lock);
	return result;
}

/* The length of the host in "host:port", "host" or "[address]:port". */
static size_t host_length(const char *host)
{
	size_t length = *host == '[' ? strcspn(host, "]") : 0;

	return length + strcspn(host + length, ":");
}

/* A name may have the root's dot at its end. */
static bool is_host(const char *name, const char *host, size_t length)
{
	length -= length > 1 && host[length - 1] == '.';
	return strlen(name) == length && !strncasecmp(name, host, length);
}

static bool is_address(const char *host, size_t length)
{
	char text[INET6_ADDRSTRLEN + 1];
	struct in6_addr address;
	bool is_6 = length > 2 && *host == '[' && host[length - 1] == ']';

	host += is_6;
	length -= 2u * is_6;
	if (length >= sizeof(text))
		return false;
	memcpy(text, host, length);
	text[length] = '\0';
	return inet_pton(is_6 ? AF_INET6 : AF_INET, text, &address) == 1;
}

/*
 * Whether a request is for this server. A page of somebody else's can have its name resolved to our
 * address and then read what we answer to the reader's browser; the browser still says that name.
 * An address in place of a name cannot be resolved to another one.
 */
static bool is_for_us(const struct page_server *server, struct MHD_Connection *connection)
{
	const char *host =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
	size_t length = host ? host_length(host) : 0;

	if (!host)
		return true; /* no browser */
	if (host[length] && strspn(host + length + 1, "0123456789") != strlen(host + length + 1))
		return false;
	if (is_address(host, length) || is_host("localhost", host, length) ||
		(*server->bound && is_host(server->bound, host, length)))
		return true;
	for (const char *const *name = server->hosts; name && *name; name++)
		if (is_host(*name, host, length))
			return true;
	return false;
}

static enum MHD_Result answer(void *context, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload, size_t *upload_size,
	void **seen)
{
	static char first;
	struct page_server *server = context;

	(void)version;
	(void)upload;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD)) {
		/* before its body is read, which nobody wants */
		return MHD_queue_response(connection, MHD_HTTP_METHOD_NOT_ALLOWED, server->refused);
	}
	if (!*seen) {
		*seen = &first;
		return MHD_YES;
	}
	*upload_size = 0;
	if (!is_for_us(server, connection))
		return MHD_queue_response(connection, MHD_HTTP_FORBIDDEN, server->foreign);
	if (!strcmp(url, "/metrics"))
		return answer_page(server, connection);
	if (!strcmp(url, "/"))
		return MHD_queue_response(connection, MHD_HTTP_OK, server->index);
	return MHD_queue_response(connection, MHD_HTTP_NOT_FOUND, server->missing);
}

/* A path with "%00" stays as it is: decoded, it would be cut there. */
static size_t decode(void *context, struct MHD_Connection *connection, char *text)
{
	(void)context;
	(void)connection;
	return strstr(text, "%00") ? strlen(text) : MHD_http_unescape(text);
}

static struct MHD_Response *text_response(const char *text, const char *type)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);

	if (response)
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	return response;
}

static int make_responses(struct page_server *server)
{
	server->pages[PAGE_OPENMETRICS] = text_response("# EOF\n", types[PAGE_OPENMETRICS]);
	server->pages[PAGE_CLASSIC] = text_response("", types[PAGE_CLASSIC]);
	server->index = text_response("The metrics are at /metrics.\n", "text/plain");
	server->missing = text_response("There is only /metrics.\n", "text/plain");
	server->refused = text_response("Only GET is allowed.\n", "text/plain");
	server->foreign = text_response("The request names a host that is not this one. If it is, "
					"start vmtap serve with --host NAME.\n",
		"text/plain");
	if (!server->pages[PAGE_OPENMETRICS] || !server->pages[PAGE_CLASSIC] || !server->index ||
		!server->missing || !server->refused || !server->foreign)
		return -ENOMEM;
	MHD_add_response_header(server->refused, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	return 0;
}

/* Splits "HOST:PORT" and "[HOST]:PORT"; the host is in memory that the caller frees. */
static int split_address(const char *address, char **host, const char **port, struct error *error)
{
	const char *colon = strrchr(address, ':'), *begin = address, *end = colon;

	*host = NULL;
	if (!colon || !colon[1] || strspn(colon + 1, "0123456789") != strlen(colon + 1) ||
		strtoul(colon + 1, NULL, 10) > 65535)
		return error_set(
			error, EINVAL, "%s: not an address of the form HOST:PORT", address);
	*port = colon + 1;
	if (begin != end && *begin == '[') {
		begin++;
		if (end[-1] != ']')
			return error_set(error, EINVAL, "%s: '[' without ']'", address);
		end--;
	} else if (memchr(begin, ':', (size_t)(end - begin))) {
		return error_set(error, EINVAL, "%s: an IPv6 address must be in brackets", address);
	}
	*host = strndup(begin, (size_t)(end - begin));
	return *host ? 0 : error_set(error, ENOMEM, "out of memory");
}

static int listen_on(const struct addrinfo *place)
{
	int fd = socket(place->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
	int number;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (!bind(fd, place->ai_addr, place->ai_addrlen) && !listen(fd, SOMAXCONN))
		return fd;
	number = errno;
	close(fd);
	return -number;
}

/* Returns a listening socket, or a negative errno and a line in error. */
static int open_socket(const char *address, struct error *error)
{
	const struct addrinfo hints = {
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct addrinfo *places = NULL;
	const char *port;
	char *host;
	int fd = split_address(address, &host, &port, error);

	if (fd)
		return fd;
	fd = getaddrinfo(*host ? host : NULL, port, &hints, &places);
	if (fd) {
		fd = error_set(error, EINVAL, "%s: %s", address, gai_strerror(fd));
	} else {
		fd = -EADDRNOTAVAIL;
		for (const struct addrinfo *place = places; place && fd < 0; place = place->ai_next)
			fd = listen_on(place);
		if (fd < 0)
			error_set(error, -fd, "%s: %s", address, strerror(-fd));
		freeaddrinfo(places);
	}
	free(host);
	return fd;
}

static void set_url(struct page_server *server, int fd)
{
	struct sockaddr_storage bound;
	socklen_t size = sizeof(bound);
	char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";

	if (!getsockname(fd, (struct sockaddr *)&bound, &size))
		getnameinfo((struct sockaddr *)&bound, size, host, sizeof(host), port, sizeof(port),
			NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(server->url, sizeof(server->url),
		strchr(host, ':') ? "http://[%s]:%s/metrics" : "http://%s:%s/metrics", host, port);
}

/* libmicrohttpd's own messages, about connections that peers break, help nobody. */
static void ignore_message(void *context, const char *format, va_list arguments)
{
	(void)context;
	(void)format;
	(void)arguments;
}

int page_server_open(const char *address, const char *const *hosts, struct page_server **result,
	struct error *error)
{
	struct page_server *server;
	const char *port;
	int fd = open_socket(address, error);

	*result = NULL;
	if (fd < 0)
		return fd;
	server = calloc(1, sizeof(*server));
	if (!server || make_responses(server) ||
		split_address(address, &server->bound, &port, error)) {
		close(fd);
		page_server_close(server);
		return error_set(error, ENOMEM, "out of memory");
	}
	server->hosts = hosts;
	pthread_mutex_init(&server->lock, NULL);
	for (unsigned i = 0; i < CONNECTIONS; i++)
		server->open[i].fd = -1;
	set_url(server, fd);
	server->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ERROR_LOG, 0,
		NULL, NULL, answer, server, MHD_OPTION_EXTERNAL_LOGGER, ignore_message, NULL,
		MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
		MHD_OPTION_NOTIFY_CONNECTION, note_connection, server, MHD_OPTION_NOTIFY_COMPLETED,
		note_completed, server, MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT_S,
		MHD_OPTION_UNESCAPE_CALLBACK, decode, NULL, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		(size_t)REQUEST_BYTES, MHD_OPTION_END);
	if (!server->daemon) {
		close(fd);
		page_server_close(server);
		return error_set(error, EIO, "%s: the HTTP server cannot be started", address);
	}
	*result = server;
	return 0;
}

const char *page_server_url(const struct page_server *server)
{
	return server->url;
}

void page_server_publish(
	struct page_server *server, enum page_format format, const char *page, size_t size)
{
	struct MHD_Response *fresh = MHD_create_response_from_buffer(
		size, (void *)(uintptr_t)page, MHD_RESPMEM_MUST_COPY);
	struct MHD_Response *old;

	if (!fresh)
		return;
	MHD_add_response_header(fresh, MHD_HTTP_HEADER_CONTENT_TYPE, types[format]);
	pthread_mutex_lock(&server->lock);
	old = server->pages[format];
	server->pages[format] = fresh;
	pthread_mutex_unlock(&server->lock);
	MHD_destroy_response(old);
}

void page_server_close(struct page_server *server)
{
	if (!server)
		return;
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	struct MHD_Response *const responses[] = {server->pages[PAGE_OPENMETRICS],
		server->pages[PAGE_CLASSIC], server->index, server->missing, server->refused,
		server->foreign};
	for (size_t i = 0; i < sizeof(responses) / sizeof(*responses); i++)
		if (responses[i])
			MHD_destroy_response(responses[i]);
	free(server->bound);
	free(server);
}

#else

int page_server_open(const char *address, const char *const *hosts, struct page_server **server,
	struct error *error)
{
	(void)address;
	(void)hosts;
	*server = NULL;
	return error_set(
		error, ENOSYS, "serve is not in this build, since libmicrohttpd-dev was missing");
}

const char *page_server_url(const struct page_server *server)
{
	(void)server;
	return "";
}

void page_server_publish(
	struct page_server *server, enum page_format format, const char *page, size_t size)
{
	(void)format;
	(void)server;
	(void)page;
	(void)size;
}

void page_server_close(struct page_server *server)
{
	(void)server;
}

#endif
