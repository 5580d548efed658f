#!/usr/sbin/dtrace -Zs
/*
 * calls_count.d - count calls, objects and collections of a script.
 *
 * USAGE: calls_count.d		# ends with the program
 *
 * FIELDS:
 *		FILE		file that is running
 *		TYPE		what was counted
 *		NAME		its name
 *		CALLS		how often
 *
 * @options -Z
 */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Counting... Hit Ctrl-C to end.\n");
}

ruby*:::method-entry
{
	@calls[basename(copyinstr(arg2)), "method", copyinstr(arg1)] = count();
}

ruby*:::cmethod-entry
{
	@calls[basename(copyinstr(arg2)), "native", copyinstr(arg1)] = count();
}

ruby*:::object-create
{
	@calls[basename(copyinstr(arg1)), "obj-new", copyinstr(arg0)] = count();
}

ruby*:::object-free
{
	@calls["-", "obj-free", copyinstr(arg0)] = count();
}

dtrace:::END
{
	printf(" %-22s %-12s %-24s %8s\n", "FILE", "TYPE", "NAME", "CALLS");
	printa(" %-22s %-12s %-24s %@8d\n", @calls);
}
