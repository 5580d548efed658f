/*
 * @status 1
 * @options -x errtags 
 */
#pragma D attributes Stable/Stable/Common provider vm args
BEGIN
{
	exit(0);
}
