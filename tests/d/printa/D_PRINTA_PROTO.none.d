/* @status 1 */
/* @options -xerrtags */
/* printa needs an aggregation. */
BEGIN
{
	printa("x");
}
