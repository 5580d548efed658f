/*
 * @status 1
 * @options -x errtags 
 */
inline int v[3] = 1;
BEGIN
{
	exit(0);
}
