/*
 * @status 1
 * @options -x errtags 
 */
#pragma D binding "99.0" x
int x;
BEGIN
{
	exit(0);
}
