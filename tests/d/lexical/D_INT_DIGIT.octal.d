/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(09);
}
