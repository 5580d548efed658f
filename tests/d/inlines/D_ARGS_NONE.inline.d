/*
 * @status 1
 * @options -x errtags 
 */
inline int v = args[0];
BEGIN
{
	exit(0);
}
