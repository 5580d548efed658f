/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	if (1)
		trace(1)
	else
		trace(2);
}
