/*
 * A flag with any value but no, off and none is on: quiet=0 too.
 * @options -x quiet=0
 */
BEGIN
{
	printf("quiet\n");
	exit(0);
}
