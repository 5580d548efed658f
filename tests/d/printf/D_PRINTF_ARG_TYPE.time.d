/* @status 1 */
/* @options -xerrtags */
/* %Y takes 64 bits. */
BEGIN
{
	printf("%Y", 1);
}
