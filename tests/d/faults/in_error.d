/* A fault in an ERROR clause ends only that one, and starts no ERROR. */
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
