/*
 * @status 1
 * @options -x errtags 
 */
inline static int v = 1;
BEGIN
{
	exit(0);
}
