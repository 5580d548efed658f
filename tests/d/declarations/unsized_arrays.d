/* An array without a size: extern, in a typedef, as the last member of a struct, where it takes no
 * space, behind a pointer. Its elements are in the memory that follows the struct, as far as that
 * reaches. */
#pragma D option quiet
extern int nowhere[];
extern char *names[], more[][3];
typedef char text[];
typedef int rows[][3];
struct tail { int n; int list[]; };
struct chars { char n; text t; };
struct pair { int n; rows r; };
struct padded { char c; long list[]; };
struct in_the_middle { int list[]; int n; };
struct outer { struct tail one; int more[2]; };
union both { int n; char bytes[]; };
struct tail *p;
struct chars *c;
struct pair *r;
struct tail fixed;
struct outer outer;
union both u;
text *pointer;
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof(struct tail), sizeof(struct chars), sizeof(struct pair),
	    sizeof(struct padded), sizeof(union both));
	printf("%d %d %d\n", offsetof(struct tail, list), offsetof(struct padded, list),
	    offsetof(struct in_the_middle, n));
}
BEGIN
{
	p = alloca(16); p->n = 3;
	p->list[0] = 10; p->list[1] = 20; p->list[p->n - 1] = 30; p->list[0]++;
	printf("%d %d %d %d\n", p->list[0], p->list[1], p->list[2], *(p->list + 1));
	fixed = *p;
	print(p);
	trace(fixed.n);
	tracemem(p->list, 12);
}
BEGIN
{
	c = alloca(4); c->t[0] = 'h'; c->t[1] = 'i';
	pointer = (text *)c->t;
	printf("%s %d %s %c\n", c->t, strlen(c->t), strjoin(c->t, "!"), (*pointer)[1]);
	printf("%d %d\n", c->t == "hi", stringof(c->t) == "ho");
}
BEGIN
{
	r = alloca(40);
	r->r[1][2] = 7; r->r[2][0] = 8;
	printf("%d %d %d\n", r->r[1][2], *r->r[2], sizeof(r->r[0]));
	u.bytes[1] = 1;
	outer.one.list[1] = 6;
	printf("%d %d\n", u.n, outer.more[1]);
}
BEGIN
{
	p = alloca(8);
	p->list[1] = 3;
}
BEGIN
{
	n = 2;
	p = alloca(8);
	trace(p->list[n]);
}
BEGIN
{
	fixed.list[0] = 1;
}
BEGIN
{
	exit(0);
}
