/* @status 1 */
/* @options -xerrtags */
/* A * takes an argument, before the value. */
BEGIN
{
	printf("%*d");
}
