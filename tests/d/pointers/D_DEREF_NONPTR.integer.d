/* Only pointers lead anywhere. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = *pid;
}
