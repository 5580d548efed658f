/*
 * Sizes, widths and values of enumerators are constant expressions: literals, enumerators,
 * inlines, sizeof, and operators applied to these.
 * @options -q
 */
enum sizes { SMALL = 1 << 2, LARGE = SMALL * 4 - 1, NEXT, NEGATIVE = -SMALL, CHOSEN = SMALL > 3 ? 7 : 8 };
inline int WIDTH = 3;
char a[SMALL];
char b[LARGE + WIDTH];
char c[sizeof(long) * 2];
char d['a'];
struct s { int w:WIDTH; unsigned x:SMALL; };
struct s v;

BEGIN
{
	printf("%d %d %d %d\n", sizeof(a), sizeof(b), sizeof(c), sizeof(d));
	printf("%d %d %d %d\n", LARGE, NEXT, NEGATIVE, CHOSEN);
	v.w = 4;
	v.x = 17;
	printf("%d %d\n", v.w, v.x);
	exit(0);
}
