/* @status 1 */
/* @options -xerrtags */
/* A conversion has at most one '.'. */
BEGIN
{
	printf("%1.2.3d", 1);
}
