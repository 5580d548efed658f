/* A declaration declares something. */
/* @status 1 */
/* @options -xerrtags */
int;
BEGIN
{
}
