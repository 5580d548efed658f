/* A new variable cannot become an array. */
/* @status 1 */
/* @options -xerrtags */
int arr[4];
BEGIN
{
	fresh = arr;
}
