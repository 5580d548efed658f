/* An array cannot contain associative arrays. */
/* @status 1 */
/* @options -xerrtags */
int a[4][int];
BEGIN
{
}
