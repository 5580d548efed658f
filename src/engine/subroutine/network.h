/*
 * network.h: network addresses as text, for D's inet_ntoa() and similar subroutines. Addresses are
 * bytes in network order.
 */
#ifndef VMTAP_ENGINE_SUBROUTINE_NETWORK_H
#define VMTAP_ENGINE_SUBROUTINE_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

enum {
	NETWORK_IPV4_BYTES = 4,
	NETWORK_IPV6_BYTES = 16,
	NETWORK_ETHERNET_BYTES = 6,
	NETWORK_INFINIBAND_BYTES = 20,
	NETWORK_TEXT_MAX = 3 * NETWORK_INFINIBAND_BYTES /* of the longest form, with the NUL */
};

/* How an IPv4 address inside an IPv6 address is written. */
enum network_embedded {
	NETWORK_EMBEDDED_MIXED, /* "::ffff:1.2.3.4" */
	NETWORK_EMBEDDED_ALONE  /* "1.2.3.4" */
};

void network_ipv4(const uint8_t bytes[NETWORK_IPV4_BYTES], char text[NETWORK_TEXT_MAX]);
void network_ipv6(const uint8_t bytes[NETWORK_IPV6_BYTES], enum network_embedded embedded,
	char text[NETWORK_TEXT_MAX]);

/* Bytes in hexadecimal with colons between them; at most NETWORK_INFINIBAND_BYTES. */
void network_link(const uint8_t *bytes, uint32_t count, char text[NETWORK_TEXT_MAX]);

#endif
