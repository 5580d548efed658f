/* A negative literal index is found at compile time. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = arr[-1];
}
