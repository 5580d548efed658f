/* clear() takes effect when its clause has ended: later clauses add to the cleared values. */
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
