/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	@a = 5;
}
