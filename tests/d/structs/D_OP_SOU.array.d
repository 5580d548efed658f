/* An array has no members. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = arr.a;
}
