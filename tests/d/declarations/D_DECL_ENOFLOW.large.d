/* An enumerator fits an int. */
/* @status 1 */
/* @options -xerrtags */
enum e { A = 1 << 40 };
BEGIN
{
}
