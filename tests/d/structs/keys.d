/* A struct as a key counts by its bytes. */
#pragma D option quiet
struct pair { int a; char b; };
struct pair p;
BEGIN
{
	p.a = 1; p.b = 'x';
	x[p] = 10;
	@[p] = count();
	@[p] = count();
	p.b = 'y';
	x[p] = 20;
	@[p] = count();
	p.b = 'x';
	printf("%d\n", x[p]);
	exit(0);
}
