/* A fault discards what its clause printed, but not what it stored; other clauses go on. */
#pragma D option quiet

int zero;

BEGIN
{
	printf("lost\n");
	stored = 5;
	@counted = count();
	trace(1 / zero);
	stored = 6;
	@counted = count();
}

BEGIN
{
	printf("stored %d\n", stored);
}

BEGIN
/1 % zero/
{
	printf("never: the predicate failed\n");
}

BEGIN
{
	printf("on\n");
	exit(0);
}

ERROR
{
	printf("error: probe %d, code %d, value %d\n", arg1, arg4, arg5);
}
