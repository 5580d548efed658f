/*
 * The operand of sizeof is checked but not evaluated; the result is a size_t, offsetof's an int.
 * @options -q
 */
struct s { char c; int i; string t; };

BEGIN
{
	n = 0;
	printf("%d %d\n", sizeof(n++), n);
	printf("%d %d\n", sizeof(sizeof(int)), sizeof(offsetof(struct s, i)));
	printf("%d %d\n", -1 < sizeof(int), -1 < offsetof(struct s, i));
	printf("%d %d %d\n", sizeof(struct s), sizeof n, sizeof (int) + 1);
	printf("%d %d\n", offsetof(struct s, i), offsetof(struct s, t));
	exit(0);
}
