/* An array must have a size. */
/* @status 1 */
/* @options -xerrtags */
int a[];
BEGIN
{
}
