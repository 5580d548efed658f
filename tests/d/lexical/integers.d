/* Integer literals: bases, suffixes */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 0);
	printf("%d\n", 42);
	printf("%d\n", 052);
	printf("%d\n", 0x2a);
	printf("%d\n", 0X2A);
	printf("%d\n", 42U);
	printf("%d\n", 42l);
	printf("%d\n", 42ULL);
	printf("%d\n", 0xffffffff);
	printf("%d\n", 9223372036854775807);
	printf("%d\n", -1);
	exit(0);
}
