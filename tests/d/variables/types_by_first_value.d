/*
 * A new variable has the type of its first value, be it a literal or a built-in; ++ creates an
 * int64_t; types apply to the whole program.
 * @options -q
 */
struct s { int a; char b; } v;

BEGIN
{
	a = 1; b = 1L; c = 'c'; d = 1u; e = "text"; f = v; g = (char)1; h = &v.a;
	i = arg0; j = pid; k = timestamp; l = NULL; m = execname; n = 5000000000; o++;
	self->p = (short)1; this->q = 1 == 1; r["k"] = (short)2;
	printf("%d %d %d %d %d %d %d %d\n", sizeof(a), sizeof(b), sizeof(c), sizeof(d), sizeof(e),
	    sizeof(f), sizeof(g), sizeof(h));
	printf("%d %d %d %d %d %d %d\n", sizeof(i), sizeof(j), sizeof(k), sizeof(l), sizeof(m),
	    sizeof(n), sizeof(o));
	printf("%d %d %d\n", sizeof(self->p), sizeof(this->q), sizeof(r["k"]));
	a = 0x100000005;
	printf("%d\n", a);
	exit(0);
}
