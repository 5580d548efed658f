/*
 * In a script a line that begins with the name of a type is a declaration; with -n it is a
 * description.
 * @options -q -Z -n 'uint32_t { printf("never"); }'
 */
uint32_t x;
uint64_t *p;

BEGIN
{
	x = -1;
	printf("%d %d\n", x > 0, sizeof(p));
	exit(0);
}
