/* Parameters must have different names. */
/* @status 1 */
/* @options -xerrtags */
int f(int a, int a);
BEGIN
{
}
