/*
 * All functions are one type, whatever they take and return.
 * @options -q
 */
int (*f)(int);
char *(*g)(int, ...);
typedef void (*handler)(int, char *);
handler h;
struct table { handler on[2]; int (*off)(void); } t;

BEGIN
{
	f = g;
	h = (handler)8;
	t.on[1] = h;
	t.off = t.on[1];
	printf("%d %d %d %d\n", f == g, f == NULL, (long)t.off, sizeof(t));
	exit(0);
}
