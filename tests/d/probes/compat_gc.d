/* @options 77 */
/*
 * The work of each full collection, in the way of Clozure CL's users, who give the pid:
 * collections of only some generations fire other probes.
 */
#pragma D option quiet

unsigned long used, began;
int serial;

BEGIN
{
	serial = 0;
	printf("%8s %14s %8s %8s\n", "serial", "elapsed ns", "K used", "K freed");
}

ccl$1:::gc-start
{
	used = arg0 / 1024;
	began = walltimestamp;
}

ccl$1:::gc-finish
{
	printf("%8u %14u %8u %8u\n", serial++, walltimestamp - began, used, arg0 / 1024);
}

ccl$1:::egc-start, ccl$1:::egc-finish
{
	printf("%s %u %u\n", probename, args[0], args[1]);
}

ccl$1:::create-thread
{
	printf("%s %u\n", probename, args[0]);
}
