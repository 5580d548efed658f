/*
 * @status 1
 * @options -x errtags 
 */
#pragma D depends_on provider nosuch
BEGIN
{
	exit(0);
}
