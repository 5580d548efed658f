/* @status 1 */
/* @options -xerrtags */
/* A variable that holds a stack is a key of an array, but a call is not. */
BEGIN
{
	a[ustack()] = 1;
}
