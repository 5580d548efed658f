/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	printa(5);
}
