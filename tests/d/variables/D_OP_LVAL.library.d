/*
 * @status 1
 * @options -x errtags 
 */
BEGIN
{
	SIGKILL = 1;
}
