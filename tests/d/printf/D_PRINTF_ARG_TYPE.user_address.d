/* @status 1 */
/* @options -xerrtags */
/* Without a target, %A takes only values of usym() and similar functions. */
BEGIN
{
	printf("%A", 1);
}
