/* The first assignment determines a variable's type; later values are truncated to it. */
#pragma D option quiet

BEGIN
{
	i = 1;
	i = 0x100000002;
	printf("%d\n", i);
	c = (char)1;
	c = 257 + 255;
	printf("%d\n", c);
	l = 1L;
	l = 0x100000002;
	printf("%d\n", l);
	n++;
	n = 0x100000002;
	printf("%d\n", n);
	exit(0);
}
