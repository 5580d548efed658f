/* Enumerators must have different names. */
/* @status 1 */
/* @options -xerrtags */
enum e { A, B, A };
BEGIN
{
}
