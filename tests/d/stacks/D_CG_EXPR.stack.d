/* @status 1 */
/* @options -xerrtags */
/* A stack is no value but as the key of an aggregation. */
BEGIN
{
	a[ustack()] = 1;
}
