/*
 * ERROR's arguments: the clause's number, the action, the offset, the kind of fault
 * and its value.
 * @status 2
 */
#pragma D option quiet

BEGIN
{
	missing = (char *)0x10;
	trace(*missing);
}

BEGIN
{
	nothing = 0;
	trace(12 / nothing);
}

ERROR
{
	printf("%s:%s:%s:%s clause %d, fault %d, value %x, offset %s\n", probeprov, probemod,
	    probefunc, probename, arg1 != 0, arg4, arg5, arg3 >= -1 ? "given" : "odd");
	faults++;
}

ERROR
/faults == 2/
{
	exit(faults);
}
