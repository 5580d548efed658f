/*
 * @status 1
 * @options -x errtags 
 */
#pragma D attributes Stable/Stable/Common
BEGIN
{
	exit(0);
}
