/*
 * A slash closes the predicate if {, ; or / follows; else it divides.
 * @options -q
 */
int a, b;

BEGIN
{
	a = 12;
	b = 4;
}

BEGIN / a / b / { printf("a / b\n"); }
BEGIN / a / (b + 1) == 2 /{ printf("(b + 1)\n"); }
BEGIN
/ a / b - 3 / /* a comment and a line later */
{
	printf("never\n");
}
BEGIN / a /* here */ / b == 3 /
{
	printf("a /= ");
	a /= b;
	printf("%d\n", a / 3);
	exit(0);
}
