/*
 * An assignment's value is the left operand after the store, with its type; assignments group
 * to the right. op= computes as op does.
 * @options -q
 */
char c;
int i;
unsigned char uc;

BEGIN
{
	i = c = 300;
	printf("%d %d %d\n", i, c, sizeof(c = 5));
	printf("%d %d\n", c = 511, (uc = 511) + 1);
	i = 10;
	printf("%d %d %d %d %d\n", i += 5, i -= 3, i *= 4, i /= 5, i %= 6);
	printf("%d %d %d %d %d\n", i <<= 4, i >>= 1, i |= 7, i &= 0x1c, i ^= 0xff);
	c = 127;
	c += 1;
	printf("%d\n", c);
	uc = 0;
	printf("%d\n", uc -= 1);
	a["x"] = b["y"] = 4;
	a["x"] *= b["y"] += 1;
	printf("%d %d\n", a["x"], b["y"]);
	self->s = this->t = "text";
	printf("%s %s\n", self->s, this->t);
	exit(0);
}
