/* Comparisons are signed only if both sides are */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 1 < 2);
	printf("%d\n", 2 <= 1);
	printf("%d\n", 2 > 1);
	printf("%d\n", 1 >= 2);
	printf("%d\n", 3 == 3);
	printf("%d\n", 3 != 3);
	printf("%d\n", -1 < 1);
	printf("%d\n", -1 < 1U);
	printf("%d\n", 1 == 1 == 1);
	printf("%d\n", -1 == 0xffffffffffffffff);
	exit(0);
}
