/* @status 1 */
/* @options -xerrtags */
/* A key has the type of its first use. */
BEGIN
{
	@a[usym(1)] = count();
	@a[1] = count();
}
