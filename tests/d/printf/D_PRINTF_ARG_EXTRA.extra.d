/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	printf("%d", 5, 6);
}
