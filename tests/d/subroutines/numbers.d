/* lltostr, strtoll, and byte orders. */
#pragma D option quiet

BEGIN
{
	printf("%s %s %s\n", lltostr(-5), lltostr(0), lltostr(-9223372036854775807L - 1));
	printf("%s %s %s %s\n", lltostr(255, 16), lltostr(0, 16), lltostr(8, 8), lltostr(0, 8));
	printf("%s %s %s\n", lltostr(-1, 2), lltostr(35, 36), lltostr(-7, 10));
	printf("%d %d %d %d\n", strtoll(" \t-12x"), strtoll("+7"), strtoll(""), strtoll("x"));
	printf("%d %d %d %d\n", strtoll("0x1f", 16), strtoll("1F", 16), strtoll("0x", 16),
	    strtoll("0x10"));
	printf("%d %d\n", strtoll("zZ", 36), strtoll("1012", 2));
	printf("%x %x %x\n", htons(0x1234), htonl(0x12345678), htonll(0x1122334455667788));
	printf("%x %x %x\n", ntohs(htons(0xfffe)), ntohl(htonl(7)), ntohll(htonll(9)));
	printf("%x %d %d\n", htons(0xab1234), sizeof(htons(1)), sizeof(strtoll("")));
}

BEGIN
{
	trace(lltostr(1, 37));
}

BEGIN
{
	trace(strtoll("1", 1));
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("fault %d\n", arg4);
}
