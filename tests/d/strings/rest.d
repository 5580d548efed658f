/*
 * A string plus a number is the address of the rest, which stringof reads.
 * @options -q
 */
BEGIN
{
	s = "abcdef";
	printf("%s %c %d\n", stringof(s + 2), *(s + 3), sizeof(*s));
	exit(0);
}
