/*
 * The element that is not there is NULL: comparing it is fine, printing it faults.
 * @options -q
 */
string a[int];

BEGIN
{
	printf("%d\n", a[1] == NULL);
	trace(a[1]);
}

BEGIN
{
	exit(0);
}
