/*
 * @status 1
 * @options -x errtags 
 */
#pragma D binding "1.x" x
int x;
BEGIN
{
	exit(0);
}
