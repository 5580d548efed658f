/* Members must have different names. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int a; };
BEGIN
{
}
