/* Operands are not promoted to int, and arithmetic is 64 bits wide until a value is stored. */
#pragma D option quiet

char c;
short s;
int i;
unsigned int u;
long l;
uint64_t big;

BEGIN
{
	c = 100;
	i = 0x7fffffff;
	printf("%d %d %d %d\n", sizeof(c + c), sizeof(c + s), sizeof(i + u), sizeof(u + l));
	printf("%d %d %d\n", c + c > 0, (int)(c + c), c + c);
	printf("%d %d %d\n", i + 1 > 0, i + 1, (i << 32) >> 32 == i);
	c = 300;
	s = 70000;
	u = -1;
	printf("%d %d %u\n", c, s, u);
	l = u;
	printf("%d %d\n", l, (int)l);
	big = 1;
	printf("%d %d %d\n", -1 < big, i < big, -1 < 1);
	/* literals fold in 64 unsigned bits */
	printf("%x ", -8L >> 1);
	l = -8;
	printf("%d\n", l >> 1);
	exit(0);
}
