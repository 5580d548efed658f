/* @status 1 */
/* @options -xerrtags */
/* A string's characters cannot be stored to. */
BEGIN
{
	s = "abc";
	s[1] = 'x';
}
