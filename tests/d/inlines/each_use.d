/*
 * The expression is evaluated at each use.
 * @options -q
 */
int n;
inline int NEXT = n++;
inline int DOUBLE = n * 2;

BEGIN
{
	printf("%d", NEXT);
	printf(" %d", NEXT);
	printf(" %d\n", NEXT + NEXT);
	printf("%d %d\n", n, DOUBLE);
	n = 20;
	printf("%d\n", DOUBLE);
	exit(0);
}
