/* @status 1 */
/* @options -xerrtags */
/* The width has used the only argument. */
BEGIN
{
	printf("%*.*d", 1);
}
