/*
 * Strings are compared by bytes, unsigned, with every relational operator. If a side is NULL
 * the pointers are compared: NULL is NULL, less than any string, and not "".
 * @options -q
 */
string none[int];

BEGIN
{
	a = "abc";
	b = "abd";
	printf("%d %d %d %d %d %d\n", a < b, a <= b, a > b, a >= b, a == b, a != b);
	printf("%d %d %d\n", "" < a, "ab" < a, a < "a\377");
	printf("%d %d %d\n", a == "abc", probename == "BEGIN", a == "abc\0tail");
	printf("%d %d %d\n", none[1] == NULL, none[1] == "", none[1] < "a");
	printf("%d %d %d\n", none[1] == none[2], none[1] != a, a > none[1]);
	exit(0);
}
