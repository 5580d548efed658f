/* Bit operators and shifts */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 0xf0 & 0x3c);
	printf("%d\n", 0xf0 | 0x0f);
	printf("%d\n", 0xff ^ 0x0f);
	printf("%d\n", ~0);
	printf("%d\n", 1 << 10);
	printf("%d\n", 1024 >> 3);
	printf("%d\n", 1 | 2 & 4);
	printf("%d\n", 6 & 3 == 3);
	printf("%d\n", 1 ^ 3 | 4);
	exit(0);
}
