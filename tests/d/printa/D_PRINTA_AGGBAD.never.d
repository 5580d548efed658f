/* @status 1 */
/* @options -xerrtags */
/* An aggregation that is never assigned. */
BEGIN
{
	printa(@a[1]);
}
