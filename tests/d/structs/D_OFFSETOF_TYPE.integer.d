/* Only structs and unions have members. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	x = offsetof(int, a);
}
