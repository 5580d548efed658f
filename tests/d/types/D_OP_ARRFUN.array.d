/* Arrays cannot be assigned. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	arr = arr;
}
