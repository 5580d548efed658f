/* One name in a declaration. */
/* @status 1 */
/* @options -xerrtags */
int a b;
BEGIN
{
}
