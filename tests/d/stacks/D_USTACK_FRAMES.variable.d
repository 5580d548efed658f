/* @status 1 */
/* @options -xerrtags */
/* The number of frames is a constant. */
BEGIN
{
	ustack(pid);
}
