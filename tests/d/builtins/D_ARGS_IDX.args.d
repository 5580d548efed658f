/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(args[0]);
}
