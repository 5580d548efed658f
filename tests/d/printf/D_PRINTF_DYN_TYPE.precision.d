/* @status 1 */
/* @options -xerrtags */
/* The precision is the second argument. */
BEGIN
{
	printf("%*.*s", 1, "x", "x");
}
