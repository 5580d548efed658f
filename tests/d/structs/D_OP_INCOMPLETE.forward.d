/* A struct that was only declared has no known members. */
/* @status 1 */
/* @options -xerrtags */
struct f *fp;
BEGIN
{
	x = fp->a;
}
