/*
 * The programs of one command line share inlines.
 * @options -q -n 'inline int SECOND = FIRST + 1; BEGIN { printf("%d %d\n", FIRST, SECOND); exit(0); }'
 */
int base;
inline int FIRST = base + 41;

BEGIN
{
	base = 1;
}
