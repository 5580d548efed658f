/*
 * inet_ntoa, inet_ntoa6, inet_ntop, link_ntop: from bytes in memory, in network order. The
 * method's name is used as memory: it is at least 16 bytes long.
 */
#pragma D option quiet

vm*:::method-entry
{
	printf("%s %s\n", inet_ntoa((ipaddr_t *)arg1), inet_ntop(2, (void *)arg1));
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)arg1), inet_ntop(10, (void *)(arg1 + 1)));
	printf("%s\n%s\n", link_ntop(1, (void *)arg1), link_ntop(32, (void *)arg1));
}

/* Other families are treated as IPv4; other hardware types and invalid memory are faults. */
vm*:::method-entry
{
	printf("%s\n", inet_ntop(3, (void *)arg1));
}

vm*:::method-entry
{
	trace(link_ntop(2, (void *)arg1));
}

vm*:::method-entry
{
	trace(inet_ntoa((ipaddr_t *)8));
}
