/* @status 1 */
/* @options -xerrtags */
/* Strings have no address here. */
BEGIN
{
	x = &probename[1];
}
