#!/usr/sbin/dtrace -Zs
/* funccalls.d - methods by pid, file, class and name */
#pragma D option quiet

dtrace:::BEGIN { printf("Tracing... Hit Ctrl-C to end.\n"); }

ruby*:::method-entry
{
	/* class::method, the way Ruby's manual writes it */
	@funcs[pid, basename(copyinstr(arg2)), copyinstr(arg0), copyinstr(arg1)] = count()
}

dtrace:::END
{
	printf(" %6.6s %-24s %-16s %-16s %8s\n", "PID", "FILE", "CLASS", "METHOD", "CALLS");
	printa(" %6d %-24s %-16s %-16s %@8d\n", @funcs)
}
