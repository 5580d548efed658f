/* A string is not a pointer. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = (char *)probename;
}
