/* @status 1 */
/* @options -xerrtags */
/* A string is no pointer. */
BEGIN
{
	printf("%p", "x");
}
