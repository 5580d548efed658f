/* @status 1 */
/* @options -xerrtags */
/* %@s is not for a number. */
BEGIN
{
	@a = count();
	printa("%@s", @a);
}
