/* @status 1 */
/* @options -xerrtags */
/* The width is the first argument. */
BEGIN
{
	printf("%*.*s", "x", 1, "x");
}
