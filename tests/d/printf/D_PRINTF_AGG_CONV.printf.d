/* @status 1 */
/* @options -xerrtags */
/* %@ is for printa alone. */
BEGIN
{
	printf("%8@d", 1);
}
