/* @status 3 */
/* exit() in ERROR also ends the firing that failed. */
#pragma D option quiet

int zero;

BEGIN
{
	trace(1 / zero);
}

BEGIN
{
	printf("never\n");
}

ERROR
{
	printf("probe %d, fault %d, value %d\n", arg1, arg4, arg5);
	exit(3);
}
