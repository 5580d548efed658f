/* A clause that only speculates records that it ran; one that also assigns records nothing. */
BEGIN
{
	self->id = speculation();
}

BEGIN
{
	speculate(self->id);
}

BEGIN
{
	speculate(self->id);
	x = 1;
}

BEGIN
{
	commit(self->id);
}

BEGIN
{
	trace(x);
	exit(0);
}
