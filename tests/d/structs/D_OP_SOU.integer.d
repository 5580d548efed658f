/* An integer has no members. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = pid.a;
}
