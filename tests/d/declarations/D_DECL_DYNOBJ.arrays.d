/* An associative array does not hold arrays. */
/* @status 1 */
/* @options -xerrtags */
int a[int][4];
BEGIN
{
}
