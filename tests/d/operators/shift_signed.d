/* A shift of a signed variable keeps the sign */
#pragma D option quiet

BEGIN
{
	x = (long)-8;
	y = (unsigned long)-8;
	printf("%d\n", x >> 1);
	printf("%d\n", x >> 63);
	printf("%d\n", y >> 60);
	exit(0);
}
