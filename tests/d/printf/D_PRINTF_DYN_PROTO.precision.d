/* @status 1 */
/* @options -xerrtags */
/* The width has taken the only one. */
BEGIN
{
	printf("%*.*d", 1);
}
