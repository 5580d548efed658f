/* ERROR's arguments: arg1 the probe, arg2 the clause, arg3 the offset, arg4 the fault, arg5 its
 * value; arg0 is 0. The context is that of the probe that faulted.
 */
#pragma D option quiet

int zero;

BEGIN
{
	n = 1;
	trace(1 / zero);
}

BEGIN
/1 % zero/
{
	trace("never");
}

BEGIN
{
	trace(copyinstr(0x10));
}

BEGIN
{
	commit(2);
}

BEGIN
{
	exit(0);
}

ERROR
{
	printf("%d probe %d clause %d offset %d fault %d value %x in %s\n", arg0, arg1, arg2, arg3, arg4,
	    arg5, probename);
}
