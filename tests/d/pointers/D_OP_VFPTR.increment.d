/* A pointer to void does not know how far the next is. */
/* @status 1 */
/* @options -xerrtags */
void *vp;
BEGIN
{
	vp++;
}
