/*
 * @status 1
 * @options -x errtags 
 */
#pragma D attributes Stable/Stable/Common x y
BEGIN
{
	exit(0);
}
