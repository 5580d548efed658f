/* The consumer acts when a clause has ended: later clauses add to what was cleared. */
#pragma D option quiet

BEGIN
{
	@a = sum(5);
	printa("%@d\n", @a);
	clear(@a);
	printa("%@d\n", @a);
}

BEGIN
{
	@a = sum(7);
	printa("%@d\n", @a);
	exit(0);
}
