/*
 * method_count.d: how often each method is called
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_count --lossless -c 'toy richards.toy'
 *     CLASS       METHOD                CALLS  SHARE
 *     IdleTask    init                      4     0%
 *     Scheduler   holds                     4     0%
 *     Scheduler   init                      4     0%
 *     ...
 *     Task        priority             139028     5%
 *     Packet      datum                155640     5%
 *     Packet      link                 182728     6%
 *     Task        link                 200444     7%
 *     Task        run                  263160     9%
 *     Task        blocked              426416    15%
 *
 * Reading: Counts the guest's methods from the start until ^C or the program's end, and
 * shows the share of each in all calls. Methods written in C are not counted. The methods
 * that are called most come last.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: One event for each call.
 */
#pragma D option quiet

uint64_t calls;

#include "parts/calls.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	@calls[this->class, this->method] = count();
	@share[this->class, this->method] = sum(100);
	calls++;
}

END
{
	normalize(@share, calls ? calls : 1);
	printf("%-32s %-32s %12s %6s\n", "CLASS", "METHOD", "CALLS", "SHARE");
	printa("%-32s %-32s %@12d %@5d%%\n", @calls, @share);
}
