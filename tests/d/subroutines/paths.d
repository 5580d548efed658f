/* basename, dirname, cleanpath. */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s]\n", basename(""), dirname(""));
	printf("[%s] [%s]\n", basename("/"), dirname("/"));
	printf("[%s] [%s]\n", basename("//"), dirname("//"));
	printf("[%s] [%s]\n", basename("abc"), dirname("abc"));
	printf("[%s] [%s]\n", basename("/a/b/"), dirname("/a/b/"));
	printf("[%s] [%s]\n", basename("/a"), dirname("/a"));
	printf("[%s] [%s]\n", basename("a//b"), dirname("a//b"));
	printf("[%s] [%s] [%s]\n", cleanpath("a//b/./c"), cleanpath("/a/../b"), cleanpath("/.."));
	printf("[%s] [%s] [%s]\n", cleanpath("../a"), cleanpath("a/.."), cleanpath(""));
	printf("[%s] [%s] [%s]\n", cleanpath("./a/"), cleanpath("../../x/../y"),
	    cleanpath("a/../../b"));
	printf("[%s] [%s] [%s]\n", cleanpath("/"), cleanpath("."), cleanpath("/../../a/.."));
	exit(0);
}
