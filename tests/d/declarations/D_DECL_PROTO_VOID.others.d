/* void must be the only parameter. */
/* @status 1 */
/* @options -xerrtags */
int f(void, int);
BEGIN
{
}
