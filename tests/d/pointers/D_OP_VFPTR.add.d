/* A pointer to void has no size to step by. */
/* @status 1 */
/* @options -xerrtags */
void *vp;
BEGIN
{
	vp += 1;
}
