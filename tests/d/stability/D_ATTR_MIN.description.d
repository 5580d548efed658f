/*
 * @status 1
 * @options -x errtags -Z -x amin=Stable/Stable/Common
 */
other:::probe
{
	trace(nosuch);
}
