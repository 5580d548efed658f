/*
 * @status 1
 * @options -x errtags 
 */
#pragma D depends_on provider
BEGIN
{
	exit(0);
}
