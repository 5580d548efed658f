/* void has no name. */
/* @status 1 */
/* @options -xerrtags */
int f(void a);
BEGIN
{
}
