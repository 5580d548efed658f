/* A void parameter cannot have a name. */
/* @status 1 */
/* @options -xerrtags */
int f(void a);
BEGIN
{
}
