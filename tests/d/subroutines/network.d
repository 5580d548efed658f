/*
 * inet_ntoa, inet_ntoa6, inet_ntop, link_ntop: of bytes in memory, in the network's order.
 * The method's name is 16 bytes long, and more.
 */
#pragma D option quiet

vm*:::method-entry
{
	printf("%s %s\n", inet_ntoa((ipaddr_t *)arg1), inet_ntop(2, (void *)arg1));
	printf("%s %s\n", inet_ntoa6((char *)arg1), inet_ntop(10, (void *)(arg1 + 1)));
	printf("%s\n%s\n", link_ntop(1, (void *)arg1), link_ntop(32, (void *)arg1));
}

/* Other families are IPv4's; other hardware, and no memory there, are faults. */
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
