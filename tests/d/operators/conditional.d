/* ?: evaluates one branch only; it groups to the right */
#pragma D option quiet

BEGIN
{
	n = 0;
	printf("%d\n", 1 ? 10 : n++);
	printf("%d\n", n);
	x = 2;
	printf("%s\n", x == 1 ? "one" : x == 2 ? "two" : "many");
	printf("%d\n", x > 1 ? -1 : 1);
	exit(0);
}
