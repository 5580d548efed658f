/* A string is no pointer. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = (char *)probename;
}
