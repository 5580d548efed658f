/*
 * Numbers are compared signed only if both sides' common type is signed; the result is an int.
 * @options -q
 */
int i;
unsigned u;
long l;
uint64_t ul;
char c;
unsigned char uc;

BEGIN
{
	i = -1; u = 1; l = -1; ul = 1; c = -1; uc = 1;
	printf("%d %d %d %d\n", i < u, l < u, i < ul, l < ul);
	printf("%d %d %d\n", c < i + 1, c < uc, c < u);
	printf("%d %d %d\n", i == -1, i != 0xffffffff, l == i);
	printf("%d %d %d %d\n", 1 < 2, 2 <= 2, 3 > 4, 4 >= 5);
	printf("%d %d\n", 3 > 2 > 1, 1 == 1 == 1);
	exit(0);
}
