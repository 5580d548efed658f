/* Prototypes and extern declarations do not define anything: the names stay free. */
#pragma D option quiet
int f(int a, char *b, ...);
void *g(void), h(int (*compare)(void *, void *), unsigned n);
extern int tally;
BEGIN
{
	tally = 3;
	printf("%d\n", tally);
	exit(0);
}
