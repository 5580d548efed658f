/*
 * Eight keys of any kind; the order of the keys matters.
 * @options -q
 */
struct pair { int a; int b; } p;
int all[char, short, int, long, string, struct pair, uint64_t, pid_t];

BEGIN
{
	p.a = 1;
	all[1, 2, 3, 4, "five", p, 7, 8] = 9;
	printf("%d", all[1, 2, 3, 4, "five", p, 7, 8]);
	p.b = 1;
	printf(" %d", all[1, 2, 3, 4, "five", p, 7, 8]);
	p.b = 0;
	printf(" %d %d\n", all[1, 3, 2, 4, "five", p, 7, 8], all[257, 2, 3, 4, "five", p, 7, 8]);
	exit(0);
}
