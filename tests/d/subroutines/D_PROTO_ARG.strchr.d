/* @status 1 */
/* @options -xerrtags */
/* strchr looks for a character, not a string. */
BEGIN
{
	trace(strchr("abc", "b"));
}
