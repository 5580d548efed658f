/* There is no value of type void. */
/* @status 1 */
/* @options -xerrtags */
void *vp;
BEGIN
{
	x = *vp;
}
