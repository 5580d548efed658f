/* Only pointers can be dereferenced. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = *pid;
}
