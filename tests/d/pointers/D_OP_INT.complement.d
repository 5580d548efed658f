/* A pointer has no complement. */
/* @status 1 */
/* @options -xerrtags */
void *vp;
BEGIN
{
	x = ~vp;
}
