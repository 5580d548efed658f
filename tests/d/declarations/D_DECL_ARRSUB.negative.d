/* The size of an array is positive. */
/* @status 1 */
/* @options -xerrtags */
int a[-1];
BEGIN
{
}
