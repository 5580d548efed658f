/*
 * A string is truncated to strsize when it is stored or created, and so is a built-in one.
 * @options -x strsize=5
 */
#pragma D option quiet

BEGIN
{
	s = "abcdefgh";
	printf("%s\n", s);
	printf("%s\n", strjoin("abc", "defgh"));
	printf("%s %s %s\n", lltostr(1234567), probeprov, probename);
	printf("%d %d\n", strlen(probeprov), probeprov == "dtracer");
	exit(0);
}
