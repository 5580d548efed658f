/*
 * A literal 0, or NULL, fits every pointer and strings; pointers compare unsigned.
 * @options -q
 */
int *p;
char *c;
void *v;
string s;

BEGIN
{
	p = 0;
	c = NULL;
	v = p;
	p = v;
	printf("%d %d %d %d\n", p == 0, c == NULL, v == p, NULL == p);
	p = (int *)-1;
	printf("%d %d\n", p > (int *)1, p != NULL);
	v = p ? c : v;
	printf("%d\n", v == NULL);
	s = NULL;
	printf("%d %d\n", s == NULL, s == 0);
	exit(0);
}
