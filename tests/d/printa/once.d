/* Aggregations that printa has printed are not printed again at the end. */
#pragma D option quiet

BEGIN
{
	@a = count();
	@b = count();
	printa("%@d\n", @a);
	exit(0);
}
