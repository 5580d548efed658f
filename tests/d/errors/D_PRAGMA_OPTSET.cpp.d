/* @status 1 */
/* @options -xerrtags */
/* An option that would be missed is refused. */
#pragma D option cpp

BEGIN
{
}
