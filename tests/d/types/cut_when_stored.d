/*
 * Arithmetic has 64 bits; a value is truncated when it is stored, recorded, used as a key, passed
 * to a narrower parameter, or cast to a narrower type. A widening cast does not truncate first.
 * @options -q
 */
char c;
int i;
short s[int];
int by[char];

BEGIN
{
	i = 0x7fffffff;
	printf("%d %d\n", i + 1, i + 1 > 0);
	trace(i + 1);
	printf("\n%d %d\n", (long)(i + 1), (i << 32) >> 32 == i);
	c = 100;
	printf("%d %d %d %d\n", c + c, c + c > 0, (int)(c + c), (char)(c + c));
	i = c + c;
	printf("%d\n", i);
	c = c + c;
	printf("%d\n", c);
	s[1] = 65537;
	printf("%d\n", s[1]);
	by[257] = 5;
	printf("%d %d\n", by[1], by[513]);
	a[1] = 7;
	printf("%d\n", a[4294967297]);
	printf("%d %d\n", htons(0x12345), htonl(0x100000000));
	@[c + c] = count();
	exit(0);
}
