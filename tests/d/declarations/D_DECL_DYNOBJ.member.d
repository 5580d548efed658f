/* An associative array is no member. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a[int]; };
BEGIN
{
}
