/* @status 1 */
/* @options -xerrtags */
/* There is no conversion %q, whatever its argument is. */
BEGIN
{
	printf("%q", 1);
}
