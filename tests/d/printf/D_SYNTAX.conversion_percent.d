/* @status 1 */
/* @options -xerrtags */
/* %% takes no flags. */
BEGIN
{
	printf("%-%");
}
