/* There are no objects of type void, so no arrays of them. */
/* @status 1 */
/* @options -xerrtags */
void a[3];
BEGIN
{
}
