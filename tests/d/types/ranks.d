/*
 * The result of an arithmetic operator has the type of the operand of higher rank: more bits,
 * then unsigned. Nothing is promoted to int. Shifts keep the type of the left operand;
 * comparisons and logical operators give an int.
 * @options -q
 */
char c;
unsigned char uc;
short s;
int i;
unsigned u;
long l;
unsigned long ul;
enum color { RED } e;

BEGIN
{
	printf("%d %d %d %d\n", sizeof(c + c), sizeof(c + uc), sizeof(c * s), sizeof(s - i));
	printf("%d %d %d %d\n", sizeof(i & u), sizeof(i | l), sizeof(u ^ l), sizeof(l % c));
	printf("%d %d %d\n", sizeof(c << l), sizeof(l >> c), sizeof(s << 1));
	printf("%d %d %d\n", sizeof(~c), sizeof(-s), sizeof(+c));
	printf("%d %d %d %d\n", sizeof(l < l), sizeof(l == l), sizeof(!l), sizeof(l && l));
	printf("%d %d %d\n", sizeof(e + c), sizeof(l ^^ l), sizeof(l || l));
	/* signed or unsigned: shown by a comparison with -1 */
	i = -1;
	printf("%d %d %d\n", (u | i) > 0, (l | i) > 0, (ul | i) > 0);
	c = -1;
	printf("%d %d %d\n", (uc | c) > 0, (i | c) > 0, (e | i) > 0);
	exit(0);
}
