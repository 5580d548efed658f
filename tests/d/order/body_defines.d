/* A body may define what its predicate uses. */
#pragma D option quiet
BEGIN
/x == 0/
{
	printf("%d", x++);
	printf(" %d\n", x);
	exit(0);
}
