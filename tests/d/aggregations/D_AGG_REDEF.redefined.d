/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	@a = count();
	@a = sum(1);
}
