/* discard() may be anywhere among the statements; what it drops is not printed. */
#pragma D option quiet

BEGIN
{
	self->id = speculation();
}

BEGIN
{
	speculate(self->id);
	printf("dropped\n");
}

BEGIN
{
	printf("line\n");
	discard(self->id);
}

BEGIN
{
	commit(self->id);
	commit(0);
}

BEGIN
{
	printf("id again: %d\n", speculation());
	exit(0);
}
