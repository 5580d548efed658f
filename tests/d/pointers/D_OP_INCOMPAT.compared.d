/* Pointers to different types cannot be compared. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = (int *)arg0 == (char *)arg0;
}
