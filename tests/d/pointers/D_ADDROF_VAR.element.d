/* An element of an associative array has no address. */
/* @status 1 */
/* @options -xerrtags */
int as[int];
BEGIN
{
	x = &as[1];
}
