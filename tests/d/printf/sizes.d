/* Any integer type without a size prefix */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d\n", (char)-1, (short)-2, -3, -4L);
	printf("%d %u\n", (unsigned char)255, (unsigned int)-1);
	printf("%x %x\n", (char)-1, (short)-1);
	printf("%hd %ld %lld\n", (short)5, 6L, 7LL);
	/* ll takes everything of 64 bits */
	printf("%lld %lld %llu %llu %llx\n", -8L, 9ULL, 10L, timestamp / timestamp + 10, -1L);
	@["a"] = count();
	printa("%s %@lld %@llu %@lu\n", @);
	exit(0);
}
