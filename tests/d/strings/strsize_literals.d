/* Option strsize truncates literals too, wherever they are used: no string can be longer. */
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
