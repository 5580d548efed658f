/* void has no size. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = sizeof(void);
}
