/*
 * @status 1
 * @options -x errtags 
 */
#line five
BEGIN
{
	exit(0);
}
