/*
 * >> keeps the sign if its left operand is signed; the result has that operand's type; only
 * the low six bits of a count are used.
 * @options -q
 */
BEGIN
{
	s = -16;
	u = 0xfffffff0;
	l = -16L;
	n = 2;
	printf("%d %u %d\n", s >> n, u >> n, l >> n);
	printf("%d %d\n", s << n, 1L << 40 >> 38);
	s >>= 3;
	l <<= 1;
	printf("%d %d\n", s, l);
	n = 65;
	printf("%d\n", 1 << n);
	exit(0);
}
