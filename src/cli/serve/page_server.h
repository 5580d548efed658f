/*
 * page_server.h: an HTTP server of one page that changes. It answers GET and HEAD from threads of
 * libmicrohttpd's own, whatever the rest of the program does, and holds only a limited number of
 * connections, each for a limited time.
 */
#ifndef VMTAP_CLI_SERVE_PAGE_SERVER_H
#define VMTAP_CLI_SERVE_PAGE_SERVER_H

#include <stddef.h>

#include "base/error.h"

struct page_server;

enum page_format { PAGE_CLASSIC, PAGE_OPENMETRICS, PAGE_FORMATS };

/*
 * Listens on an address, "HOST:PORT" ("[::1]:9464", ":9464": every address of this machine; port
 * 0: any that is free). Requests must be for an address, localhost, HOST, or one of hosts, a list
 * that ends with NULL and is valid until the server is closed; else they are refused. Returns 0, or
 * a negative errno and a line in error if the address cannot be used, or the build has no
 * libmicrohttpd. Block the signals that the server's thread must not take before.
 */
int page_server_open(const char *address, const char *const *hosts, struct page_server **server,
	struct error *error);

/* Where it listens: "http://127.0.0.1:9464/metrics". */
const char *page_server_url(const struct page_server *server);

/*
 * Copies the page, which replaces the one of its format before. Without memory that one remains.
 */
void page_server_publish(
	struct page_server *server, enum page_format format, const char *page, size_t size);

/* Answers the requests that have begun, and frees the server; NULL is allowed. */
void page_server_close(struct page_server *server);

#endif
