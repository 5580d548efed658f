/*
 * Macros may be anywhere in a description; the text before and after is joined to them.
 * @options -q -- tra BE 1
 */
d$1ce:::$2GIN
{
	printf("%s\n", probename);
}

d$$1*:::BEGIN
{
	printf("%s\n", probeprov);
	exit(0);
}

profile:::tick-$3hz
{
}
