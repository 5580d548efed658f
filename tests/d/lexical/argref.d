/*
 * With argref arguments may be left over.
 * @options -q -x argref one two
 */
BEGIN
{
	printf("%s\n", $$1);
	exit(0);
}
