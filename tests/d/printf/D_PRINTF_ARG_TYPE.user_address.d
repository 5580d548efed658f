/* @status 1 */
/* @options -xerrtags */
/* Without a target %A takes what usym() and its like give. */
BEGIN
{
	printf("%A", 1);
}
