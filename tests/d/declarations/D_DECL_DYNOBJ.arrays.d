/* An associative array cannot contain arrays. */
/* @status 1 */
/* @options -xerrtags */
int a[int][4];
BEGIN
{
}
