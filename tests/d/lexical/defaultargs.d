/*
 * With defaultargs a missing argument is 0, or "".
 * @options -q -x defaultargs
 */
BEGIN
{
	printf("%d \"%s\"\n", $1, $$2);
	exit(0);
}
