/* Parameters are not self-> variables. */
/* @status 1 */
/* @options -xerrtags */
int f(self int a);
BEGIN
{
}
