/* Assigning a struct copies it, between variables, members, elements and blocks. */
#pragma D option quiet
struct pair { int a; char b[4]; };
struct outer { int n; struct pair p; };
struct pair one;
struct outer out;
struct pair elements[int];
self struct pair mine;
BEGIN
{
	one.a = 3; one.b[0] = 'x';
	out.p = one;
	two = out.p;
	self->mine = two;
	elements[7] = self->mine;
	this->block = (struct pair *)alloca(sizeof(struct pair));
	*this->block = elements[7];
	one.a = 4;
	printf("%d %d %d %d %d %d\n", one.a, out.p.a, two.a, self->mine.a, elements[7].a,
	    this->block->a);
	printf("%s %s\n", this->block->b, elements[7].b);
	two = one.a == 4 ? one : out.p;
	printf("%d\n", two.a);
	exit(0);
}
