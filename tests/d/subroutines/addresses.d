/* Network addresses: the longest run of zeroes is ::. An address that contains an IPv4 address is
 * shown as dotted quad alone; inet_ntop() and a strict inet_ntoa6() write it after ::ffff:. */
#pragma D option quiet

BEGIN
{
	this->p = (uint8_t *)alloca(16);
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)this->p), inet_ntop(AF_INET6, this->p));
	this->p[15] = 1;
	printf("%s %s\n", inet_ntoa6((in6_addr_t *)this->p), inet_ntop(AF_INET6, this->p));
	this->p[10] = 0xff;
	this->p[11] = 0xff;
	this->p[12] = 1;
	this->p[13] = 2;
	this->p[14] = 3;
	this->p[15] = 4;
	printf("%s %s %s\n", inet_ntoa6((in6_addr_t *)this->p), inet_ntoa6((in6_addr_t *)this->p, 1),
	    inet_ntop(AF_INET6, this->p));
	this->p[0] = 0x20;
	this->p[1] = 0x01;
	this->p[5] = 0xab;
	printf("%s\n", inet_ntoa6((in6_addr_t *)this->p));
	printf("%s %s\n", inet_ntoa((ipaddr_t *)(this->p + 12)), inet_ntop(AF_INET, this->p + 12));
	printf("%s\n", link_ntop(1, this->p + 10));
	exit(0);
}
