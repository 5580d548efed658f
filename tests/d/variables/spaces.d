/*
 * A global, self->, this-> and @ may have the same name; each has its own type.
 * @options -q
 */
BEGIN
{
	x = 1;
	self->x = "two";
	this->x = 3L;
	@x = sum(4);
	printf("%d %s %d %d %d %d\n", x, self->x, this->x, sizeof(x), sizeof(self->x), sizeof(this->x));
	printa("%@d\n", @x);
	exit(0);
}
