/*
 * Every level of the table binds closer than the next; levels group to the left, except
 * unary operators, ?: and assignments.
 * @options -q
 */
struct s { int a[2]; } v;

BEGIN
{
	a = 2; b = 3; c = 5; zero = 0;
	v.a[1] = 4;
	printf("%d %d %d\n", -v.a[1], !zero++, zero);
	printf("%d %d\n", -a * b, - -a);
	printf("%d %d\n", a + b * c, a * b + c);
	printf("%d %d\n", c - b - a, c / a * a);
	printf("%d %d\n", 1 << a + 1, c - a >> 1);
	printf("%d %d\n", 1 < b << 1, c > 1 << 1);
	printf("%d %d\n", a < b == 1, 1 != b > a);
	printf("%d %d\n", a & b == b, (a & b) == a);
	printf("%d %d\n", 1 ^ b & a, (1 ^ b) & a);
	printf("%d %d\n", 1 | 3 ^ 1, (1 | 3) ^ 1);
	printf("%d %d\n", a | 1 && 0, 1 && a | 0);
	printf("%d %d\n", 1 ^^ 1 && 0, (1 ^^ 1) && 0);
	printf("%d %d\n", 1 || 1 ^^ 1, (1 || 1) ^^ 1);
	printf("%d %d\n", 0 || 1 ? 10 : 20, 1 ? 2 : 0 ? 3 : 4);
	x = y = 0 ? 1 : 2, x++;
	printf("%d %d\n", x, y);
	x = (1, 2, 3);
	printf("%d\n", x);
	x = 10;
	x -= y += 3;
	printf("%d %d\n", x, y);
	printf("%d %d\n", sizeof a + 1, sizeof (char) * 2);
	printf("%d %d\n", (int)2 + 3, (char)256 + 1);
	exit(0);
}
