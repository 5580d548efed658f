/*
 * Names: letters, digits, _; each name space is separate; a name known as a variable remains one
 * even if a type has the same name; after -> no word is reserved.
 * @options -q
 */
typedef int number;
struct number { int number; };
struct number v;
int _, _9, LONG_name_0;

BEGIN
{
	x = 1;
	self->x = 2;
	this->x = 3;
	@x = sum(4);
	@ = sum(5);
	_ = 6;
	_9 = 7;
	LONG_name_0 = 8;
	v.number = 9;
	this->if = 10;
	self->translator = 11;
	printf("%d %d %d %d %d %d %d %d %d\n", x, self->x, this->x, _, _9, LONG_name_0, v.number,
	    this->if, self->translator);
	printa("%@d ", @x);
	printa("%@d\n", @_);
	exit(0);
}
