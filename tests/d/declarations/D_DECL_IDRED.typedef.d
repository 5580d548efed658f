/* A typedef cannot be repeated, even unchanged. */
/* @status 1 */
/* @options -xerrtags */
typedef int t;
typedef int t;
BEGIN
{
}
