/* Nothing is void, so no array is of it. */
/* @status 1 */
/* @options -xerrtags */
void a[3];
BEGIN
{
}
