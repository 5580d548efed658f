/*
 * A string is cut at strsize when it is stored or made, and where it is built in.
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
