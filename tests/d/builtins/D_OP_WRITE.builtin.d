/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	pid = 5;
}
