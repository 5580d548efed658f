/* A literal index beyond an array is found at compile time. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = arr[4];
}
