/*
 * Constants fold in 64 unsigned bits while the text is read: >> of two literals is logical,
 * and a literal condition is the operand it chooses, whose type alone counts.
 * @options -q
 */
BEGIN
{
	printf("%x\n", -8L >> 1);
	x = -8L;
	printf("%d\n", x >> 1);
	printf("%d %d\n", sizeof(1 ? 1 : 2L), sizeof(0 ? 1 : 2L));
	printf("%s\n", 1 ? "text" : 5);
	printf("%d\n", 0 ? "text" : 5);
	0 ? trace("one") : trace("two");
	printf("\n%d %d %d\n", (char)300, (unsigned char)511, sizeof((char)300));
	printf("%d %d\n", 7 / 2 * 2, 1 << 3 | 1);
	printf("%d %d %d\n", !3, !0, 3 && 4);
	printf("%d\n", 0x7fffffffffffffff + 1 < 0);
	/* the negation of an unsigned value is truncated, a complement is not */
	printf("%d %d\n", -1u == 4294967295, ~0u == 0xffffffff);
	exit(0);
}
