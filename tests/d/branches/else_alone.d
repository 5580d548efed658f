/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	else
		trace(1);
}
