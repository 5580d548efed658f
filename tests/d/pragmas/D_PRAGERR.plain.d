/*
 * @status 1
 * @options -x errtags 
 */
#error not "here"
BEGIN
{
	exit(0);
}
