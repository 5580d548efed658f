/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	nosuch(1);
}
