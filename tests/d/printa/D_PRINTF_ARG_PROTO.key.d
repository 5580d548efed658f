/* @status 1 */
/* @options -xerrtags */
/* The aggregation has one key. */
BEGIN
{
	@a[1] = count();
	printa("%d %d", @a);
}
