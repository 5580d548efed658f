/* A function has no value. */
/* @status 1 */
/* @options -xerrtags */
int (*handler)(int);
BEGIN
{
	x = *handler;
}
