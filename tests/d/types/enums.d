/* Enumerators are constants; each is one more than the one before. An enum prints unsigned. */
#pragma D option quiet
enum color { RED, GREEN = 5, BLUE, NONE = -1, ZERO };
enum color c;
int sized[BLUE];
BEGIN
{
	c = BLUE;
	printf("%d %d %d %d %d\n", RED, GREEN, c, ZERO, sizeof(c));
	c = NONE;
	printf("%d %d\n", c == NONE, sizeof(sized) / sizeof(int));
	printf("%u\n", c);
	exit(0);
}
