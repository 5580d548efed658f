/* D has no static variables. */
/* @status 1 */
/* @options -xerrtags */
static int a;
BEGIN
{
}
