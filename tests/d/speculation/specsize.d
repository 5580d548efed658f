/* A clause ends at the action that exceeds specsize, and its records are dropped; those of earlier
 * clauses are kept. A clause counts 8 bytes, its records count the sizes of their types.
 */
#pragma D option quiet
#pragma D option specsize=36

BEGIN
{
	buffer = speculation();
}

BEGIN
{
	speculate(buffer);
	printf("%d %d\n", (char)1, 2LL);
	kept++;
}

BEGIN
{
	speculate(buffer);
	printf("%s\n", "a string counts its full size");
	kept++;
}

BEGIN
{
	speculate(buffer);
	printf("no room for more than this\n");
	tried++;
	printf("%d\n", 10LL);
	printf("%d\n", 11);
	kept++;
}

BEGIN
{
	speculate(buffer);
	printf("%d\n", 3LL);
	printf("%hd\n", (short)4);
	kept++;
}

BEGIN
{
	commit(buffer);
}

BEGIN
{
	printf("%d kept, %d tried\n", kept, tried);
	exit(0);
}
