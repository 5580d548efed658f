/*
 * Flags, width and precision may be in any order before the letter. A 0 is a flag if no width
 * has begun; - and 0 cancel each other, the later one counts.
 */
#pragma D option quiet

BEGIN
{
	printf("[%5d] [%-5d] [%05d] [%-05d] [%0-5d]\n", 42, 42, 42, 42, 42);
	printf("[%+5d] [%5+d] [% d] [%#x] [%#o]\n", 42, 42, 42, 42, 8);
	printf("[%.5d] [%8.5d] [%10d] [%1.0d]\n", 42, 42, 42, 0);
	printf("[%?x] [%?d]\n", 0xbeef, 7);
	printf("[%'d] [%l5d] [%ll5d]\n", 1234567, 42L, 42LL);
	exit(0);
}
