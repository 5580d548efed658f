/* A divisor that is zero at run time faults its clause; others go on. */
#pragma D option quiet

BEGIN
{
	x = 0;
}

BEGIN
{
	printf("not printed\n");
	trace(1 / x);
}

BEGIN
{
	printf("printed\n");
	exit(0);
}
