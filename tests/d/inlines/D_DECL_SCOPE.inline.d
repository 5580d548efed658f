/*
 * @status 1
 * @options -x errtags 
 */
inline int a`b = 1;
BEGIN
{
	exit(0);
}
