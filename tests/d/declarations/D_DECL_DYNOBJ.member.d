/* An associative array cannot be a member. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a[int]; };
BEGIN
{
}
