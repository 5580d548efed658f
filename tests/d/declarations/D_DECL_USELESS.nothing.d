/* A declaration must declare something. */
/* @status 1 */
/* @options -xerrtags */
int;
BEGIN
{
}
