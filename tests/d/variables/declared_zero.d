/*
 * Declared variables start as zero, a string as "", self-> strings and elements as NULL.
 * @options -q
 */
int i;
long l;
int *p;
string s;
struct { int a; string t; } v;
self int si;
self string ss;
this int ti;

BEGIN
{
	printf("%d %d %d [%s] %d [%s]\n", i, l, p == NULL, s, v.a, v.t);
	printf("%d %d %d %d\n", self->si, self->ss == NULL, this->ti, s == NULL);
	exit(0);
}
