/* @status 1 */
/* @options -xerrtags */
/* Aggregations with different kinds of keys. */
BEGIN
{
	@a[1] = count();
	@b["x"] = count();
	printa("%d", @a, @b);
}
