/* strchr, strrchr, strstr, index, rindex: the first or last match, and none. */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", strchr("abcabc", 'b'), strrchr("abcabc", 'b'),
	    strstr("hello world", "o w"));
	printf("[%s] %d\n", strstr("abc", ""), strstr("", "") == "");
	printf("%d %d %d\n", strchr("abc", 'x') == NULL, strrchr("abc", 'x') == NULL,
	    strstr("abc", "abcd") == NULL);
	/* the terminator is not a character of a string */
	printf("%d %d\n", strchr("abc", '\0') == NULL, strrchr("abc", '\0') == NULL);
	/* the character is truncated to a char */
	printf("[%s]\n", strchr("abc", 0x162));
	printf("%d %d %d %d\n", index("abcabc", "c"), index("abcabc", "c", 3),
	    index("abc", "x"), index("abc", "a", -5));
	printf("%d %d %d %d\n", index("", ""), index("abc", ""), index("abc", "", 3),
	    index("abc", "", 4));
	printf("%d %d %d %d\n", rindex("abcabc", "c"), rindex("abcabc", "c", 4),
	    rindex("abc", "x"), rindex("abc", "a", -1));
	printf("%d %d %d\n", rindex("abc", ""), rindex("abc", "c", 99), rindex("a", "ab"));
	exit(0);
}
