/* A negative literal index is found at once. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = arr[-1];
}
