/*
 * inet_ntoa6: an address with an IPv4 address inside is only that address, but with a second
 * argument other than 0 it is the text that inet_ntop writes.
 * @options -q
 */
BEGIN
{
	this->a = (in6_addr_t *)alloca(sizeof (in6_addr_t));
	this->a->s6_addr[12] = 127;
	this->a->s6_addr[15] = 1;
	printf("%s %s ", inet_ntoa6(this->a), inet_ntoa6(this->a, 0));
	printf("%s %s\n", inet_ntoa6(this->a, 1), inet_ntop(10, this->a));
	this->a->s6_addr[10] = 0xff;
	this->a->s6_addr[11] = 0xff;
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 1));
	this->a->s6_addr[0] = 0x20;
	printf("%s %s\n", inet_ntoa6(this->a), inet_ntoa6(this->a, 1));
	exit(0);
}
