/*
 * ?: takes two integers (of which the larger type counts), two strings (char * and char[]
 * too), two pointers; it evaluates one branch and groups to the right. Its middle may be a
 * whole expression.
 * @options -q
 */
char text[4];
int *p;

BEGIN
{
	yes = 1; no = 0; n = 0;
	text[0] = 't';
	printf("%d %d\n", sizeof(yes ? 1 : 2L), no ? -1 : 2L);
	printf("%s %s\n", yes ? text : "else", no ? "then" : text);
	printf("%d\n", (yes ? p : NULL) == NULL);
	x = yes ? n++ : (n += 10);
	printf("%d %d\n", x, n);
	printf("%s\n", no ? "1" : no ? "2" : yes ? "3" : "4");
	printf("%d\n", yes ? n = 4, n + 1 : 6);
	printf("%d\n", p ? 1 : 2);
	exit(0);
}
