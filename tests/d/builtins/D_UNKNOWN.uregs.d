/*
 * @status 1
 * @options -x errtags
 */
BEGIN
{
	trace(uregs[1000]);
}
