/*
 * An inline of a variable is that variable, even as the target of an assignment.
 * @options -q
 */
int y;
self int64_t depth;
int counts[string];
inline int Y = y;
inline int64_t DEPTH = self->depth;
inline int ONE = counts["one"];

struct pair { int one; } pair;
inline struct pair PAIR = pair;

BEGIN
{
	Y = 3;
	Y++;
	Y += 10;
	printf("%d %d\n", y, Y);
	DEPTH = 7;
	--DEPTH;
	printf("%d\n", self->depth);
	ONE = 5;
	ONE++;
	printf("%d\n", counts["one"]);
	PAIR.one = 8;
	printf("%d %d\n", pair.one, PAIR.one);
	exit(0);
}
