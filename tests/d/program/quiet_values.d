/*
 * A flag is on with any value except no, off and none: even with quiet=0.
 * @options -x quiet=0
 */
BEGIN
{
	printf("quiet\n");
	exit(0);
}
