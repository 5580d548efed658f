/*
 * One record fires the event's own probe first, then the others of its type: all at the same
 * time, each with its own arguments; a condition selects one of two probes of a provider.
 */
#pragma D option quiet

vm77:::gc-*, ccl77:::, HaskellEvent77:::
{
	printf("%d %s:%s:%s:%s %d %d %d\n", timestamp - 1000000000, probeprov, probemod,
	    probefunc, probename, arg0, arg1, arg2);
}

HaskellEvent77:::user-msg
{
	printf("\"%s\"\n", copyinstr(arg1));
}
