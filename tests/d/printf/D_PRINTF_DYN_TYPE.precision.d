/* @status 1 */
/* @options -xerrtags */
/* Then comes the precision. */
BEGIN
{
	printf("%*.*s", 1, "x", "x");
}
