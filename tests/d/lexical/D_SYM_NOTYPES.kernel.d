/*
 * @status 1
 * @options -x errtags 
 */
BEGIN
{
	trace(nosuch`max_pfn);
}
