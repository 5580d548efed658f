#!/usr/sbin/dtrace -s
/*
 * ccl_gc.d - each collection with its time and the bytes it freed; the pid is the argument.
 * @options 4242
 */

#pragma D option quiet

unsigned long in_use, start;
int i;

BEGIN
{
	i = 0;
	printf("%8s %14s %8s %8s\n", "number", "elapsed ns", "used", "freed");
}

ccl$1:::gc-start,
ccl$1:::egc-start
{
	in_use = arg0;
	start = walltimestamp;
}

ccl$1:::gc-finish,
ccl$1:::egc-finish
{
	printf("%8u %14u %8u %8u\n", i++, walltimestamp - start, in_use, arg0);
}
