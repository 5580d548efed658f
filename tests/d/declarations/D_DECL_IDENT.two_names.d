/* A declaration has only one name. */
/* @status 1 */
/* @options -xerrtags */
int a b;
BEGIN
{
}
