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
 * Providers: vm, php.
 *
 * Cost: One event for each exception, one for each that is caught.
 */
#pragma D option quiet

#include "parts/raises.d"

vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
/this->counts/
{
	class[pid, this->thread] = this->class;
	file[pid, this->thread] = this->file;
	line[pid, this->thread] = this->line;
	at[pid, this->thread] = timestamp;
	@open[this->class] = sum(1);
	@raised[this->class] = count();
}

vm$target:::rescue
{
	this->class = copyinstr(arg0);
	this->file = copyinstr(arg1);
	this->line = (int)arg2;
	this->thread = arg3;
}

/* PHP 8 passes no name here: what is caught is what the thread has thrown last. */
php$target:::exception-caught
{
	this->class = class[pid, tid] == NULL ? "(unknown)" : class[pid, tid];
	this->file = "(unknown)";
	this->line = 0;
	this->thread = tid;
}

vm$target:::rescue,
php$target:::exception-caught
/at[pid, this->thread] && class[pid, this->thread] == this->class/
{
	@swallowed[this->class, file[pid, this->thread], line[pid, this->thread], this->file,
	    this->line] = count();
	at[pid, this->thread] = 0;
}

vm$target:::rescue,
php$target:::exception-caught
{
	@open[this->class] = sum(-1);
	@caught[this->class] = count();
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
