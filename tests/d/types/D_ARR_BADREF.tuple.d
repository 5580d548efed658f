/* An array in memory takes one index at a time. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = arr[1, 2];
}
