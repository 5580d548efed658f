/*
 * A declaration may be repeated unchanged; pointers to types that are not defined yet are allowed;
 * a tag alone is a declaration.
 * @options -q
 */
int x;
int x;
self string s;
self string s;
this char c;
this char c;
int a[int, string];
int a[int, string];
struct later;
struct later *p;
struct later { int n; };
extern int outside;
extern int outside;
int outside;
extern struct later *elsewhere(void);
enum color { RED };
enum color;

BEGIN
{
	outside = 1;
	printf("%d %d %d\n", x, outside, sizeof(*p));
	exit(0);
}
