/*
 * @status 1
 * @options -x errtags 
 */
BEGIN
{
	trace(vmlinux`max_pfn);
}
