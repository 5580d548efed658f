/* An associative array has no size. */
/* @status 1 */
/* @options -xerrtags */
int as[int];
BEGIN
{
	x = sizeof(as);
}
