/*
 * Linux has no interrupt priority levels.
 *
 * @options -q
 */
BEGIN
{
	printf("%d\n", ipl);
	exit(0);
}
