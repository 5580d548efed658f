/* @status 1 */
/* @options -xerrtags */
/* One . in a conversion. */
BEGIN
{
	printf("%1.2.3d", 1);
}
