/* Division truncates toward zero; a remainder has its dividend's sign */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 7 + 3);
	printf("%d\n", 7 - 10);
	printf("%d\n", 7 * -3);
	printf("%d\n", 7 / 2);
	printf("%d\n", -7 / 2);
	printf("%d\n", 7 / -2);
	printf("%d\n", -7 % 3);
	printf("%d\n", 7 % -3);
	printf("%d\n", 2 + 3 * 4);
	printf("%d\n", (2 + 3) * 4);
	printf("%d\n", 10 - 4 - 3);
	printf("%d\n", -(-5));
	printf("%d\n", +5);
	printf("%d\n", 100 / 10 / 5);
	exit(0);
}
