/*
 * @status 1
 * @options -x errtags -x amin=Stable/Stable/Common
 */
#pragma D attributes Private/Private/ISA mine
inline int mine = pid;

BEGIN
{
	trace(mine);
}
