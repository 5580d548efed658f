/* trace() of a struct or an array shows its bytes, even of characters. */
struct pair { int a; char b[3]; };
struct pair p;
BEGIN
{
	p.a = 0x01020304; p.b[0] = 'h'; p.b[1] = 'i';
	trace(p);
	trace(p.b);
	trace(p.a);
	exit(0);
}
