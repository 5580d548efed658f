/* Declarations do not initialise. */
/* @status 1 */
/* @options -xerrtags */
int a = 3;
BEGIN
{
}
