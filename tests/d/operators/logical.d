/* Logical operators give 0 or 1; && binds before ^^ before || */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 1 && 2);
	printf("%d\n", 1 && 0);
	printf("%d\n", 0 || 3);
	printf("%d\n", 0 || 0);
	printf("%d\n", !5);
	printf("%d\n", !0);
	printf("%d\n", 1 ^^ 1);
	printf("%d\n", 1 ^^ 0);
	printf("%d\n", 1 || 1 && 0);
	printf("%d\n", 1 || 0 ^^ 1);
	printf("%d\n", 1 ^^ 1 && 0);
	exit(0);
}
