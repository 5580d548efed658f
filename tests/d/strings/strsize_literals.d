/* Option strsize cuts literals too, wherever they go: it is the longest that a string can be. */
#pragma D option quiet
#pragma D option strsize=4

BEGIN
{
	trace("abcdefgh");
	printf(" [%s] [%6s]\n", "abcdefgh", "abcdefgh");
	printf("%d %d %d\n", strlen("abcdefgh"), index("abcdefgh", "h"), sizeof("abcdefgh"));
	printf("%d [%s]\n", "abcdx" == "abcdy", strjoin("abcdefgh", ""));
	@["abcdefgh"] = count();
	@["abcdxyz"] = count();
	printa("%s %@d; the format itself is not cut\n", @);
	exit(0);
}
