/* A typedef is not repeated, even if it says the same. */
/* @status 1 */
/* @options -xerrtags */
typedef int t;
typedef int t;
BEGIN
{
}
