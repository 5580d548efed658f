/*
 * An inline of a literal is that literal, with the literal's own type and value, and can be
 * used where a constant is required.
 * @options -q
 */
inline char C = 300;
inline long L = 1;
inline string S = "abc";
inline int SIZE = 2 + 2;

BEGIN
{
	printf("%d %d\n", C, sizeof (C));
	printf("%d %d\n", L, sizeof (L));
	printf("%s %d\n", S, sizeof (S));
	printf("%d\n", sizeof (int [SIZE]));
	exit(0);
}
