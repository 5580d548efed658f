/*
 * exceptions_swallowed.d: which exceptions are caught, and where
 *
 * Question: Which exceptions are raised, and who catches them?
 *
 *     $ vmtap trace exceptions_swallowed --lossless -c 'toy redefine.toy'
 *     CLASS            RAISED IN      LINE CAUGHT IN      LINE      TIMES
 *     ArgumentError    redefine.toy     21 redefine.toy     31          1
 *     Error            redefine.toy      9 redefine.toy     58          1
 *     LoadError        redefine.toy    116 redefine.toy    117          1
 *     OutOfMemoryError redefine.toy    109 redefine.toy    111          1
 *     StackError       redefine.toy     99 redefine.toy    103          1
 *     Error            redefine.toy     64 redefine.toy     74         20
 *     ArgumentError    redefine.toy     21 redefine.toy     45       2000
 *
 *     CLASS                RAISED     CAUGHT   NOT CAUGHT
 *     LoadError                 1          1            0
 *     OutOfMemoryError          1          1            0
 *     StackError                1          1            0
 *     Error                    21         21            0
 *     ArgumentError          2001       2001            0
 *
 * Reading: First the exceptions that a handler has caught: their class, where they were
 * raised, where the handler is, and how often. A handler that catches far more than you
 * know of hides errors. Then, for each class, how many were raised and caught; the
 * difference were not caught, ended a thread, or went through code that reports no
 * handler.
 *
 * Providers: vm.
 *
 * Cost: One event for each exception, one for each that is caught.
 */
#pragma D option quiet

vm$target:::raise
{
	class[pid, arg3] = copyinstr(arg0);
	file[pid, arg3] = copyinstr(arg1);
	line[pid, arg3] = arg2;
	at[pid, arg3] = timestamp;
	@open[copyinstr(arg0)] = sum(1);
	@raised[copyinstr(arg0)] = count();
}

vm$target:::rescue
/at[pid, arg3] && class[pid, arg3] == copyinstr(arg0)/
{
	@swallowed[copyinstr(arg0), file[pid, arg3], line[pid, arg3], copyinstr(arg1), arg2] = count();
	at[pid, arg3] = 0;
}

vm$target:::rescue
{
	@open[copyinstr(arg0)] = sum(-1);
	@caught[copyinstr(arg0)] = count();
}

END
{
	printf("%-24s %-20s %6s %-20s %6s %10s\n", "CLASS", "RAISED IN", "LINE", "CAUGHT IN", "LINE",
	    "TIMES");
	printa("%-24s %-20s %6d %-20s %6d %@10d\n", @swallowed);
	printf("\n");
	printf("%-24s %10s %10s %12s\n", "CLASS", "RAISED", "CAUGHT", "NOT CAUGHT");
	printa("%-24s %@10d %@10d %@12d\n", @raised, @caught, @open);
}
