/*
 * A load extends according to the loaded type: signed ones by the sign, others by zeroes.
 * @options -q
 */
char c;
unsigned char uc;
short s;
uint16_t us;
int i;
unsigned u;
struct bits { int a:4; unsigned b:4; } v;

BEGIN
{
	c = 0xff; uc = 0xff; s = 0xffff; us = 0xffff; i = 0xffffffff; u = 0xffffffff;
	v.a = 15; v.b = 15;
	printf("%d %d %d %d %d %u\n", c, uc, s, us, i, u);
	printf("%d %d\n", v.a, v.b);
	printf("%d %d %d\n", c == -1, uc == 255, i == -1);
	x = (long)u;
	y = (long)i;
	printf("%d %d\n", x, y);
	exit(0);
}
