/*
 * @status 1
 * @options -x errtags 
 */
inline int f[int a] = a;

BEGIN
{
	trace(f[1, 2]);	/* it has one parameter */
}
