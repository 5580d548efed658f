/*
 * A comma expression has the value and the type of its last operand.
 * @options -q
 */
BEGIN
{
	x = 1, y = 2, x += y;
	printf("%d %d\n", x, y);
	printf("%s %d\n", (1, "text"), sizeof((1L, 'a')));
	exit(0);
}
