/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(1 - "x");
}
