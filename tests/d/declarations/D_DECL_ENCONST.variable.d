/* An enumerator is a constant. */
/* @status 1 */
/* @options -xerrtags */
enum e { A = pid };
BEGIN
{
}
