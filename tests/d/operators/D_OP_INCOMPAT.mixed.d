/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace("x" - 1);
}
