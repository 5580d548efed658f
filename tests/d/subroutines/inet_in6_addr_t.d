/*
 * in6_addr_t has its octets as s6_addr.
 * @options -q
 */
BEGIN
{
	this->address = (in6_addr_t *)alloca(sizeof (in6_addr_t));
	this->address->s6_addr[0] = 0xfe;
	this->address->s6_addr[1] = 0x80;
	this->address->s6_addr[15] = 1;
	printf("%s\n", inet_ntoa6(this->address));
	exit(0);
}
