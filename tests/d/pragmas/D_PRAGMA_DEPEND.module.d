/*
 * @status 1
 * @options -x errtags 
 */
#pragma D depends_on module nosuch
BEGIN
{
	exit(0);
}
