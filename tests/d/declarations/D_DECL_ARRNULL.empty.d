/* An array has a size. */
/* @status 1 */
/* @options -xerrtags */
int a[];
BEGIN
{
}
