/* subroutine_network.c: network addresses in memory as text; see subroutine_call.h. */
#include <net/if_arp.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/subroutine/network.h"
#include "engine/subroutine/subroutine_call.h"

/* Families other than IPv6 are treated as IPv4, as in Oracle's DTrace. */
static enum d_fault give_internet(struct subroutine_call *call, int64_t family, uint64_t address,
	enum network_embedded embedded)
{
	uint8_t bytes[NETWORK_IPV6_BYTES];
	char text[NETWORK_TEXT_MAX];
	enum d_fault fault;

	fault = memory_read(call->engine, address,
		family == AF_INET6 ? NETWORK_IPV6_BYTES : NETWORK_IPV4_BYTES, bytes);
	if (fault)
		return fault;
	if (family == AF_INET6)
		network_ipv6(bytes, embedded, text);
	else
		network_ipv4(bytes, text);
	return subroutine_give(call, text, (uint32_t)strlen(text));
}

enum d_fault subroutine_inet_ntoa(struct subroutine_call *call)
{
	return give_internet(call, AF_INET, call->arguments[0], NETWORK_EMBEDDED_MIXED);
}

/* An embedded IPv4 address is written alone, unless the second argument is not 0. */
enum d_fault subroutine_inet_ntoa6(struct subroutine_call *call)
{
	return give_internet(call, AF_INET6, call->arguments[0],
		call->count > 1 && call->arguments[1] ? NETWORK_EMBEDDED_MIXED
						      : NETWORK_EMBEDDED_ALONE);
}

enum d_fault subroutine_inet_ntop(struct subroutine_call *call)
{
	return give_internet(
		call, (int64_t)call->arguments[0], call->arguments[1], NETWORK_EMBEDDED_MIXED);
}

/* A hardware address of Ethernet or InfiniBand. */
enum d_fault subroutine_link_ntop(struct subroutine_call *call)
{
	uint64_t type = call->arguments[0];
	uint8_t bytes[NETWORK_INFINIBAND_BYTES];
	char text[NETWORK_TEXT_MAX];
	uint32_t count = type == ARPHRD_ETHER ? NETWORK_ETHERNET_BYTES
		: type == ARPHRD_INFINIBAND   ? NETWORK_INFINIBAND_BYTES
					      : 0;
	enum d_fault fault;

	if (!count)
		return fault_set(call->engine, D_FAULT_ILLOP, 0);
	fault = memory_read(call->engine, call->arguments[1], count, bytes);
	if (fault)
		return fault;
	network_link(bytes, count, text);
	return subroutine_give(call, text, (uint32_t)strlen(text));
}
