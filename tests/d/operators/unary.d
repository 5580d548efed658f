/*
 * + - ~ keep their operand's type, ! gives an int; pointers have a truth value.
 * @options -q
 */
int *p;
unsigned char uc;

BEGIN
{
	uc = 1;
	printf("%d %d %d\n", -uc, ~uc, +uc);
	printf("%d %d %d\n", !uc, !!uc, !p);
	exit(0);
}
