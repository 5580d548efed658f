/*
 * @status 1
 * @options -x errtags 
 */
BEGIN
{
	trace(vmlinux`no_such);
}
