/*
 * Anonymous structs, unions and enums; a struct with the same members is another type.
 * @options -q
 */
struct { int a; union { char c; int i; } u; } v;
union { struct { char low, high; } part; short whole; } w;
enum { ONE = 1, TWO } e;

BEGIN
{
	v.u.i = 0x41;
	x = v;
	w.whole = 0x4241;
	e = TWO;
	printf("%c %c %c %d\n", x.u.c, w.part.low, w.part.high, e);
	exit(0);
}
