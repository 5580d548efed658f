/*
 * @status 1
 * @options -x errtags 
 */
#pragma D attributes Stable/Stable/Common nowhere
BEGIN
{
	exit(0);
}
