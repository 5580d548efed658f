/* alloca(0) is valid, gives the same address each time in a clause, and leads nowhere.
 * @status 2
 */
#pragma D option quiet

BEGIN
{
	block = alloca(8);
	none = alloca(0);
	printf("%d %d %d", alloca(0) == alloca(0), none == alloca(0), block == none);
}

BEGIN
{
	printf(" %d\n", none == alloca(0));
}

BEGIN
{
	trace(*(char *)alloca(0));
}

ERROR
{
	exit(2);
}
