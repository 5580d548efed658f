/*
 * Thirty-two keys of an aggregation: columns, formats, order, and what printa() joins.
 * @options -q
 */
struct pair { short a; char b; } p;
BEGIN
{
	p.a = 258;
	@a["one", (char)2, (short)3, 4, 5L, p, usym(0x10), 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "last"] = sum(7);
	@a["one", (char)2, (short)3, 4, 5L, p, usym(0x10), 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, "last"] = sum(7);
	@a["one", (char)2, (short)3, 4, 5L, p, usym(0x10), 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "first"] = sum(7);
	@b["one", (char)2, (short)3, 4, 5L, p, usym(0x10), 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 32, "last"] = count();
	printa("%s %d %d %d %d", @a);
	printf("\n");
	printa(@a, @b);
}
BEGIN
{
	@c["x", 1, 2, 3, 4, 5, -6, usym(16), 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
	    22, 23, 24, 25, 26, 27, 28, 29, "z"] = max(3);
	printa("%s/%d/%d/%d/%d/%*d/%A%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d%d/%s %@d\n", @c);
	exit(0);
}
