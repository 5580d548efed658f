/* Edges: positions outside of the string, empty strings, bases. */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d %d %d\n", index("abc", ""), index("abc", "", 2), index("abc", "", 3),
	    index("abc", "", 4), index("", ""));
	printf("%d %d %d %d\n", index("abcabc", "bc", -5), index("abcabc", "bc", 2),
	    index("abcabc", "bc", 5), index("abc", "abcd"));
	printf("%d %d %d %d\n", rindex("abcabc", "bc"), rindex("abcabc", "bc", 3),
	    rindex("abcabc", "bc", 99), rindex("abcabc", "bc", -1));
	printf("%d %d %d\n", rindex("abc", ""), rindex("abc", "", 1), rindex("abc", "", -1));
	printf("%s %s %s %s\n", lltostr(-1), lltostr(255, 16), lltostr(8, 8), lltostr(5, 2));
	printf("%s %s %s %s\n", lltostr(0, 16), lltostr(0, 8), lltostr(-1, 36), lltostr(35, 36));
	printf("%d %d %d %d\n", strtoll(" \t-12x"), strtoll("0x1f", 16), strtoll("0x1f"),
	    strtoll("zz", 36));
	printf("%d %d %d\n", strtoll(""), strtoll("-"), strtoll("777", 8));
	printf("[%s] [%s] [%s]\n", strjoin("", ""), toupper(""), cleanpath(""));
	exit(0);
}
