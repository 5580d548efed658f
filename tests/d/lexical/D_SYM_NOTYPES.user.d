/*
 * @status 1
 * @options -x errtags 
 */
BEGIN
{
	trace(libc``environ);
}
