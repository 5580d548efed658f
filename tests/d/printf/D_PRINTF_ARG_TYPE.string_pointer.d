/* @status 1 */
/* @options -xerrtags */
/* A string is not a pointer. */
BEGIN
{
	printf("%p", "x");
}
