/*
 * From a pointer to a struct: its members are read when the translated ones are read.
 * @options -q
 */
struct in {
	int a;
	long b;
};
struct out {
	long sum;
	int first;
};

translator struct out < struct in *p > {
	sum = p->a + p->b;
	first = p->a;
};

inline long both[struct in *q] = q->a * 100 + q->b;

BEGIN
{
	this->p = (struct in *)alloca(sizeof (struct in));
	this->p->a = 4;
	this->p->b = 5;
	printf("%d %d\n", xlate <struct out> (this->p).sum, xlate <struct out *> (this->p)->first);
	printf("%d\n", both[this->p]);
	exit(0);
}
