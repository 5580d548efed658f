/*
 * With argref, unused arguments are allowed.
 * @options -q -x argref one two
 */
BEGIN
{
	printf("%s\n", $$1);
	exit(0);
}
