/*
 * The words of a type may be in any order, including qualifiers and the storage class.
 * @options -q
 */
long unsigned int a;
int long long unsigned b;
const unsigned char volatile c;
short int d;
int short unsigned e;
long f, g[2], *h;
double long i;
unsigned j;
signed char k;
char const *const *restrict l;
int typedef m;
unsigned self long n;
m o;

BEGIN
{
	printf("%d %d %d %d %d\n", sizeof(a), sizeof(b), sizeof(c), sizeof(d), sizeof(e));
	printf("%d %d %d %d %d\n", sizeof(f), sizeof(g), sizeof(h), sizeof(i), sizeof(j));
	printf("%d %d %d %d %d\n", sizeof(k), sizeof(l), sizeof(m), sizeof(self->n), sizeof(o));
	a = -1;
	b = -1;
	e = -1;
	k = -1;
	printf("%u %u %u %d\n", a > 1, b > 1, e, k);
	exit(0);
}
