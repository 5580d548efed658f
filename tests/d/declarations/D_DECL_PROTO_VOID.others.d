/* void stands alone. */
/* @status 1 */
/* @options -xerrtags */
int f(void, int);
BEGIN
{
}
