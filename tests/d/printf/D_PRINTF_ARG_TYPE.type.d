/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	printf("%s", 5);
}
