/* strreplace: each match from the left, without those that overlap; the result is cut at strsize. */
#pragma D option quiet
#pragma D option strsize=8

BEGIN
{
	printf("[%s] [%s] [%s]\n", strreplace("a/b/c", "/", "."), strreplace("aaaa", "aa", "b"),
	    strreplace("a/b", "", "x"));
	printf("[%s] [%s] [%s]\n", strreplace("", "a", "b"), strreplace("abc", "abcd", "x"),
	    strreplace("///", "/", ""));
	printf("[%s] [%s]\n", strreplace("a/b/c/", "/", "::::"), strreplace("x", "x", "x"));
	@[strreplace("b.c", ".", "/")] = count();
	@[strreplace("b-c", "-", "/")] = count();
	exit(0);
}
