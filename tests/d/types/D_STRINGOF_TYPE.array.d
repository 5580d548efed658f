/* Only an array of characters is a string. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	x = stringof(arr);
}
