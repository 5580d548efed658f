/* String comparison is bytewise */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", "abc" == "abc", "abc" == "abd", "abc" != "abd");
	printf("%d %d %d\n", "abc" < "abd", "ab" < "abc", "b" > "abc");
	printf("%d %d\n", "" == "", "" < "a");
	exit(0);
}
