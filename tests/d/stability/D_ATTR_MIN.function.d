/*
 * @status 1
 * @options -x errtags -x amin=Stable/Stable/Common
 */
BEGIN
{
	trace(ntohs(1));
}
