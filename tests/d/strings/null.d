/* A self-> string that was never set is NULL: printing it faults, comparing does not. */
#pragma D option quiet

BEGIN
/0/
{
	self->s = "";
}

BEGIN
{
	printf("%d %d\n", self->s == NULL, self->s == "");
	self->s = "x";
	printf("%d\n", self->s == NULL);
	self->s = 0;
	printf("%d\n", self->s == NULL);
	exit(0);
}
