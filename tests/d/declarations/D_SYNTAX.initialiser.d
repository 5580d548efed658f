/* Declarations cannot have initialisers. */
/* @status 1 */
/* @options -xerrtags */
int a = 3;
BEGIN
{
}
