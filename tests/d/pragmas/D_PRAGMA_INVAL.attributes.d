/*
 * @status 1
 * @options -x errtags 
 */
#pragma D attributes Stable/Common/Evolving x
int x;
BEGIN
{
	exit(0);
}
