/* There is no value of a function. */
/* @status 1 */
/* @options -xerrtags */
int (*handler)(int);
BEGIN
{
	x = *handler;
}
