/*
 * An element that does not exist is NULL: comparing it is allowed, printing it faults.
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
