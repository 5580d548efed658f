/*
 * method_time.d: the time spent in each method, with and without what it calls
 *
 *     $ vmtap trace method_time --lossless -c 'toy richards.toy' us
 *     CLASS       METHOD           EXCLUSIVE us   INCLUSIVE us      CALLS  SHARE
 *     WorkerTask  init                        1              3          4     0%
 *     ...
 *     Packet      link                    97521          97521     182728     3%
 *     Scheduler   release                132912         167889      39996     4%
 *     Packet      append_to              165932         182724      80456     6%
 *     Task        link                   170188         170188     200444     6%
 *     Scheduler   run                    178383        2712396          4     6%
 *     Scheduler   queue_packet           260605         569558      92984     9%
 *     Task        blocked                289579         289579     426416    10%
 *     Task        run                    739012        2097137     263160    27%
 *
 * Inclusive time is the time from a method's entry to its return; if a method calls itself,
 * the inner call counts towards both calls. Exclusive time leaves out the methods it calls;
 * the time of methods written in C counts as their caller's. Both are elapsed time and
 * include time spent waiting. The share is that of the exclusive time. Green threads share
 * OS threads, so everything is kept per guest thread (arg4), not in self->. Calls that began
 * before the trace are left out. The most expensive methods come last.
 *
 * Times are in ns; the argument us, ms or s gives another unit:
 *
 *     $ vmtap trace method_time -p PID us
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t total;

vm$target:::method-entry
{
	level[arg4]++;
	start[arg4, level[arg4]] = timestamp;
	own[arg4, level[arg4]] = timestamp;
}

/*
 * Moves the start of the caller's exclusive time on by the time that its callee took. A start is
 * missing if there was no room for it.
 */
vm$target:::method-return
/level[arg4] > 0 && start[arg4, level[arg4]] && own[arg4, level[arg4]]/
{
	this->level = level[arg4];
	this->elapsed = timestamp - start[arg4, this->level];
	this->own = timestamp - own[arg4, this->level];
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@inclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->elapsed);
	@exclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->own);
	@share[copyinstr(arg0), copyinstr(arg1)] = sum(100 * this->own);
	total += this->own;
	own[arg4, this->level - 1] += this->level > 1 ? this->elapsed : 0;
}

vm$target:::method-return
/level[arg4] > 0/
{
	start[arg4, level[arg4]] = 0;
	own[arg4, level[arg4]] = 0;
	level[arg4]--;
}

END
{
	normalize(@exclusive, scale);
	normalize(@inclusive, scale);
	normalize(@share, total ? total : 1);
	printf("%-24s %-24s %14s %14s %10s %6s\n", "CLASS", "METHOD", strjoin("EXCLUSIVE ", unit),
	    strjoin("INCLUSIVE ", unit), "CALLS", "SHARE");
	printa("%-24s %-24s %@14d %@14d %@10d %@5d%%\n", @exclusive, @inclusive, @calls, @share);
}
