/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	5 = 6;
}
