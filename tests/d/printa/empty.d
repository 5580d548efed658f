/* An empty aggregation prints nothing. */
#pragma D option quiet

BEGIN
/0/
{
	@x[1] = count();
}

BEGIN
{
	printa("%d %@d\n", @x);
	printf("done\n");
	exit(0);
}
