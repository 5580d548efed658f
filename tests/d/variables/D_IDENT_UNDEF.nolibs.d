/*
 * @status 1
 * @options -x errtags -x nolibs
 */
BEGIN
{
	trace(SIGKILL);
}
