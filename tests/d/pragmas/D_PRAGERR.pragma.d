/*
 * @status 1
 * @options -x errtags 
 */
#pragma D error not here
BEGIN
{
	exit(0);
}
