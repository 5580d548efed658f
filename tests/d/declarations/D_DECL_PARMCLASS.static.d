/* Parameters have no storage class. */
/* @status 1 */
/* @options -xerrtags */
int f(static int a);
BEGIN
{
}
