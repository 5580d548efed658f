/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	if (execname)
		trace(1);
}
