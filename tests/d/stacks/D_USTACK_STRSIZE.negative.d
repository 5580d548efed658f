/* @status 1 */
/* @options -xerrtags */
/* The size of the strings is not negative. */
BEGIN
{
	jstack(5, -1);
}
