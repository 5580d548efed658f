/* @status 1 */
/* @options -xerrtags */
/* The characters of a string cannot be assigned. */
BEGIN
{
	s = "abc";
	s[1] = 'x';
}
