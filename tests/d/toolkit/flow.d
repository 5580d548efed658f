#!/usr/sbin/dtrace -Zs
/*
 * flow.d - calls and returns as they happen, indented by the depth of each thread.
 *
 * 	C	CPU-id
 *	TIME(us) Time since boot, us
 */
#pragma D option quiet
#pragma D option switchrate=10

self int depth;

dtrace:::BEGIN
{
	printf("%3s %-16s %-16s -- %s\n", "C", "TIME(us)", "FILE", "METHOD");
}

ruby*:::method-entry
{
	printf("%3d %-16d %-16s %*s-> %s\n", cpu, timestamp / 1000,
	    basename(copyinstr(arg2)), self->depth * 2, "",
	    copyinstr(arg1));
	self->depth++;
}

ruby*:::method-return
{
	self->depth -= self->depth > 0 ? 1 : 0;
	printf("%3d %-16d %-16s %*s<- %s\n", cpu, timestamp / 1000,
	    basename(copyinstr(arg2)), self->depth * 2, "",
	    copyinstr(arg1));
}
