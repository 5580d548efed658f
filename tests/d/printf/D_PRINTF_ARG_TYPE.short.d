/* @status 1 */
/* @options -xerrtags */
/* %hd takes a short only. */
BEGIN
{
	printf("%hd", 1);
}
