/* A probe that is listed twice runs the clause twice. */
#pragma D option quiet

BEGIN, BEGIN, dtrace:::BEGIN
{
	printf("%d\n", ++n);
}

BEGIN
{
	exit(0);
}
