/* @status 1 */
/* @options -xerrtags */
/* A stack is only a value as a key of an aggregation. */
BEGIN
{
	a[ustack()] = 1;
}
