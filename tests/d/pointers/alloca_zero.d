/* alloca(0) is valid: it returns the address of the next block, which is not valid until then.
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
	place = (char *)alloca(0);
	first = (char *)alloca(3);
	second = (char *)alloca(0);
	first[0] = 'x';
	printf("%s %d %d\n", stringof(place), first - place, second == first);
}

BEGIN
{
	trace(*(char *)alloca(0));
}

ERROR
{
	exit(2);
}
