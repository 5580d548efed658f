/* @status 1 */
/* @options -xerrtags */
/* %ld takes a long only. */
BEGIN
{
	printf("%ld", 1);
}
