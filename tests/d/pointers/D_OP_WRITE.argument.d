/* The memory of the process cannot be written by a store. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	*(int *)arg0 = 1;
}
