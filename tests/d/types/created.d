/* The type that a variable gets from its first assignment. */
#pragma D option quiet

BEGIN
{
	a++;
	b = 1;
	c = arg0;
	d = pid;
	e = NULL;
	f = "text";
	g = 4294967296;
	h = timestamp;
	printf("%d %d %d %d %d %d %d %d\n", sizeof(a), sizeof(b), sizeof(c), sizeof(d), sizeof(e),
	    sizeof(f), sizeof(g), sizeof(h));
	b = 4294967303;
	printf("%d\n", b);
	exit(0);
}
