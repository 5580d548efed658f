/*
 * If the first use of a self-> or this-> variable or of an element is in a unary operator, that
 * creates it as an int64_t: so a clause may test one that a later clause assigns.
 * @options -q
 */
BEGIN
/ !self->started && !this->here && !seen["x"] && !self->of[1] /
{
	printf("not yet: %d %d %d\n", -self->depth, ~this->other, sizeof(seen["y"]));
}

BEGIN
{
	self->started = 1;
	seen["x"] = 2;
	printf("%d %d %d\n", sizeof(self->started), sizeof(seen["x"]), sizeof(this->other));
	printf("%d\n", sizeof(self->first_in_sizeof));
}

BEGIN
/ self->started && seen["x"] /
{
	self->started = 4294967297;
	printf("%d\n", self->started);
	exit(0);
}
