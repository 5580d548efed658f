/* this-> variables cannot be associative arrays. */
/* @status 1 */
/* @options -xerrtags */
this int a[int];
BEGIN
{
}
