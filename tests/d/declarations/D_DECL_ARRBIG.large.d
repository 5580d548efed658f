/* The size of an array is limited. */
/* @status 1 */
/* @options -xerrtags */
int a[5000000000];
BEGIN
{
}
