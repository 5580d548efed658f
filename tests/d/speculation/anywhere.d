/* A committed speculation prints under the header of the clause that recorded it, and its id is
 * free again. Assignments, subroutines and discard() may be anywhere. */
BEGIN
{
	self->id = speculation();
	this->before = strlen("abc");
}

BEGIN
{
	x = 1;
	speculate(self->id);
	y = strlen("abcd");
	printf("speculated %d", y);
	z = 1;
}

BEGIN
{
	a = 1;
	commit(self->id);
	b = 1;
}

BEGIN
{
	printf("%d %d", x + y + z, a + b);
	discard(self->id);
	again = speculation();
}

BEGIN
{
	discard(again);
}

BEGIN
{
	printf("%d %d", again, speculation());
	exit(0);
}
