/* An enumerator is a global name. */
/* @status 1 */
/* @options -xerrtags */
enum e { A };
int A;
BEGIN
{
}
