/* An enumerator is a constant. */
/* @status 1 */
/* @options -xerrtags */
enum color { RED, GREEN };
BEGIN
{
	GREEN = 3;
}
