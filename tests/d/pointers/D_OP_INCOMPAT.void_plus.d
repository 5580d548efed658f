/* A pointer to void has no size to step by. */
/* @status 1 */
/* @options -xerrtags */
void *vp;
BEGIN
{
	x = vp + 1;
}
