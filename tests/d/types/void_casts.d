/*
 * Anything can be cast to void, every scalar to every scalar.
 * @options -q
 */
enum color { RED, GREEN };
int (*f)(int);

BEGIN
{
	(void)1;
	(void)"text";
	x = (int)(void *)5;
	y = (enum color)1;
	z = (char *)f;
	printf("%d %d %d %d\n", x, y == GREEN, z == NULL, (int)GREEN);
	exit(0);
}
