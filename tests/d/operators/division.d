/*
 * Division truncates toward 0, a remainder has the sign of the dividend; the smallest integer
 * divided by -1 is itself; unsigned division when the result's type is unsigned.
 * @options -q
 */
BEGIN
{
	a = -7; b = 2;
	printf("%d %d %d %d\n", a / b, a % b, 7 / -b, 7 % -b);
	m = 1L << 63;
	one = -1;
	printf("%d %d\n", m / one, m % one);
	m /= one;
	printf("%d\n", m);
	u = 0xffffffffffffffff;
	printf("%u %u\n", u / 2, u % 10);
	printf("%d\n", (-7L) / 2);
	exit(0);
}
