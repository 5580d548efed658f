/*
 * @status 1
 * @options -x errtags 
 */
inline int f[int a] = a;

BEGIN
{
	trace(f);	/* its arguments are missing */
}
