/*
 * @status 1
 * @options -x errtags -x version=1.2
 */
#pragma D binding "1.5" recent
inline int recent = 3;

BEGIN
{
	trace(recent);
}
