/*
 * The programs of one command line share globals, self->, aggregations and types; each program
 * has its own this->, which may have another type.
 * @options -q -n 'BEGIN { this->x = "second"; printf("%d %d %s %d\n", g, self->s, this->x, sizeof(struct pair)); @a[1] = count(); exit(0); }'
 */
struct pair { int a; int b; };
BEGIN
{
	g = 1;
	self->s = 2;
	this->x = 3;
	@a[1] = count();
}
