/* @status 1 */
/* @options -xerrtags */
/* %k takes a stack, which is only a key. */
BEGIN
{
	printf("%k", 1);
}
