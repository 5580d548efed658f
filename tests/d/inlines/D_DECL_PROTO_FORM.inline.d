/*
 * @status 1
 * @options -x errtags 
 */
inline int f[int a, int a] = a;
BEGIN
{
	exit(0);
}
