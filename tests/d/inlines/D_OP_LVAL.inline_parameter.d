/*
 * @status 1
 * @options -x errtags 
 */
inline int f[int a] = a++;

BEGIN
{
	trace(f[3]);	/* the argument is not a variable */
}
