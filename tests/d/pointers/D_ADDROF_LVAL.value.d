/* A computed value has no address. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = &(1 + pid);
}
