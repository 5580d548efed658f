/* A fault in an ERROR clause only ends that clause, and does not fire ERROR. */
#pragma D option quiet

int zero;

BEGIN
{
	trace(1 / zero);
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("first\n");
	trace(1 / zero);
}

ERROR
{
	printf("second\n");
}
