/*
 * An empty aggregation prints nothing, or without a format only the newline that begins the list.
 * It counts as printed only if it was not empty; the others are printed at the end.
 */
#pragma D option quiet

BEGIN
/0/
{
	@x[1] = count();
	@y[1] = count();
	@late[1] = count();
}

BEGIN
{
	printa("%d %@d\n", @x);
	printa(@x);
	printa("%d %@d %@d\n", @x, @y);
	printa(@x, @y);
	printa(@late);
	printf("done\n");
}

BEGIN
{
	@late[2] = count();
	@y[3] = count();
	@gone = count();
	trunc(@gone);
	printa(@gone);
	exit(0);
}
