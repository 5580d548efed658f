/*
 * method_count.d: how often each method is called
 *
 *     vmtap trace method_count -p PID
 *
 * Counts the guest's methods from the start until ^C or the program's end. Methods
 * written in C are not counted. The most called come last.
 */
#pragma D option quiet

vm$target:::method-entry
{
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
}

END
{
	printf("%-32s %-32s %12s\n", "CLASS", "METHOD", "CALLS");
	printa("%-32s %-32s %@12d\n", @calls);
}
