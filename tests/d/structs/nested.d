/* Structs, arrays and unions in each other, reached by constant and computed indices. */
#pragma D option quiet
struct in { int k; };
struct out { struct in i[4]; string n[2]; union { int w; char c[4]; } u; };
struct out v;
this struct out copy;
BEGIN
{
	v.i[2].k = 9;
	idx = 2;
	v.n[1] = "deep";
	v.u.w = 0x41424344;
	this->copy = v;
	printf("%d %s %c\n", v.i[idx].k, this->copy.n[1], v.u.c[3]);
	this->p = &v.i[0];
	this->p++;
	this->p->k = 3;
	printf("%d %d\n", v.i[1].k, this->p - &v.i[0]);
	self->x = v.i[2];
	printf("%d %s\n", self->x.k, v.n[1] == "deep" ? "same" : "other");
	exit(0);
}
