/*
 * method_time.d: the time spent in each method, with and without what it calls
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_time --lossless -c 'toy richards.toy' us
 *     CLASS       METHOD           EXCLUSIVE us   INCLUSIVE us      CALLS  SHARE
 *     Scheduler   queued                      0              0          4     0%
 *     Scheduler   holds                       0              0          4     0%
 *     WorkerTask  init                        0              2          4     0%
 *     ...
 *     DeviceTask  work                   156437         374292     111536     5%
 *     Task        wait                   175898         175898      92992     6%
 *     Task        run                    259588        1955307     263160     9%
 *     Task        blocked                278393         278393     426416     9%
 *     HandlerTask work                   404135         940159      93008    14%
 *     Scheduler   run                    509578        2840051          4    17%
 *
 * Reading: Inclusive time is the time from a method's entry to its return; if a method
 * calls itself, directly or not, the time of the inner call counts once. Exclusive time
 * leaves out the methods it calls; the time of methods written in C counts as their
 * caller's. Both are elapsed time and include time spent waiting. The share is that of the
 * exclusive time.
 * Green threads share OS threads, so everything is kept for each guest thread. Calls that
 * began before the trace are left out. The most expensive methods come last. Times are in
 * ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t total;

#include "parts/calls.d"
#include "parts/returns.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->clock = timestamp;
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
	own[pid, this->thread, this->level] = timestamp;
}

/*
 * Moves the start of the caller's exclusive time on by the time that its callee took. A start is
 * missing if there was no room for it.
 */
*$target:::[mf]*[dn]-return
/this->counts/
{
	this->clock = timestamp;
	this->level = level[pid, this->thread];
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
	this->mine = this->level > 0 ? own[pid, this->thread, this->level] : 0;
}

#include "parts/inclusive.d"

*$target:::[mf]*[dn]-return
/this->counts && this->start && this->mine/
{
	this->elapsed = timestamp - this->start;
	this->own = timestamp - this->mine;
	@calls[this->class, this->method] = count();
	@inclusive[this->class, this->method] = sum(this->inclusive);
	@exclusive[this->class, this->method] = sum(this->own);
	@share[this->class, this->method] = sum(100 * this->own);
	total += this->own;
	own[pid, this->thread, this->level - 1] += this->level > 1 ? this->elapsed : 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	start[pid, this->thread, this->level] = 0;
	own[pid, this->thread, this->level] = 0;
	level[pid, this->thread]--;
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
