/*
 * Assigning a translation stores the struct with all members that the translator defines, and 0 in
 * the others; the old value may be translated. A first assignment declares the variable.
 * @options -q
 */
struct part {
	short x, y;
};
struct out {
	int sum;
	string who;
	struct part part;
	long unused;
	unsigned low : 3;
};
struct same {
	long a, b;
};

this struct part part;

translator struct out < int I > {
	sum = I + I;
	who = I == 3 ? "three" : "other";
	part = this->part;
	low = I + 8;
};
translator struct same < struct same S > {
	b = S.a;
	a = S.b;
};
translator struct part < long none > {
};

struct out held;
struct same pair;
self struct out mine;
inline struct out six = xlate <struct out> (6);

BEGIN
{
	this->part.x = -1;
	this->part.y = 7;
	held.unused = 99;
	held = xlate <struct out> (3);
	printf("%d %s %d %d %d %d\n", held.sum, held.who, held.part.x, held.part.y,
		held.unused, held.low);
	self->mine = xlate <struct out> (held.sum);
	this->fresh = xlate <struct out> (4);
	elements[1, "x"] = xlate <struct out> (5);
	printf("%d %s %d %d\n", self->mine.sum, self->mine.who, this->fresh.sum,
		elements[1, "x"].sum);
	held = six;
	printf("%d %d\n", held.sum, (held = xlate <struct out> (7)).sum);
}

BEGIN
{
	pair.a = 1;
	pair = xlate <struct same> (pair);
	this->part.x = 5;
	this->part = xlate <struct part> (1L);
	printf("%d %d %d\n", pair.a, pair.b, this->part.x);
	exit(0);
}
