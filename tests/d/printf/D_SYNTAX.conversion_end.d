/* @status 1 */
/* @options -xerrtags */
/* A conversion must end. */
BEGIN
{
	printf("%5");
}
