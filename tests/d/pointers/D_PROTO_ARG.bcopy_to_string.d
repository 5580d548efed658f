/* bcopy() does not write into strings. */
/* @status 1 */
/* @options -xerrtags */
string word;

BEGIN
{
	bcopy("abc", word, 3);
}
