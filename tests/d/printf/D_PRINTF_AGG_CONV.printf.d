/* @status 1 */
/* @options -xerrtags */
/* %@ is only for printa. */
BEGIN
{
	printf("%8@d", 1);
}
