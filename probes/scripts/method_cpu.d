/*
 * method_cpu.d: the CPU time spent in each method, with and without what it calls
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_cpu --lossless -c 'toy richards.toy' us
 *     CLASS       METHOD           EXCLUSIVE us   INCLUSIVE us      CALLS  SHARE
 *     Scheduler   queued                      1              1          4     0%
 *     Scheduler   holds                       2              2          4     0%
 *     WorkerTask  init                        4              7          4     0%
 *     ...
 *     DeviceTask  work                   115154         477303     111536     4%
 *     Task        blocked                217763         217763     426416     7%
 *     Scheduler   queue_packet           290121         688640      92984    10%
 *     HandlerTask work                   309337         930151      93008    10%
 *     Task        run                    322530        2104047     263160    11%
 *     Scheduler   run                    449574        2853613          4    15%
 *
 * Reading: As method_time, but with the CPU time of the guest thread: while a thread
 * waits, or another one runs on the same OS thread, its clock stands still. A log needs
 * vmtap record --cpu-clock. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call, each with a system call that reads the clock of the CPU
 * time: about 240 ns.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t spent[pid_t, uint64_t];
uint64_t total;

/*
 * A guest thread's CPU time: what it had used when it stopped last, and what its OS thread has used
 * since it runs again.
 */
vm$target:::thread-run
{
	since[pid, arg1] = vtimestamp;
}

vm$target:::thread-stop
{
	spent[pid, arg1] += vtimestamp - since[pid, arg1];
}

#include "parts/calls.d"
#include "parts/returns.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->clock = spent[pid, this->thread] + vtimestamp - since[pid, this->thread] + 1;
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = this->clock;
	own[pid, this->thread, this->level] = this->clock;
}

*$target:::[mf]*[dn]-return
/this->counts/
{
	this->level = level[pid, this->thread];
	this->clock = spent[pid, this->thread] + vtimestamp - since[pid, this->thread] + 1;
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
	this->mine = this->level > 0 ? own[pid, this->thread, this->level] : 0;
}

#include "parts/inclusive.d"

*$target:::[mf]*[dn]-return
/this->counts && this->start && this->mine/
{
	this->used = this->clock - this->start;
	this->own = this->clock - this->mine;
	@calls[this->class, this->method] = count();
	@inclusive[this->class, this->method] = sum(this->inclusive);
	@exclusive[this->class, this->method] = sum(this->own);
	@share[this->class, this->method] = sum(100 * this->own);
	total += this->own;
	own[pid, this->thread, this->level - 1] += this->level > 1 ? this->used : 0;
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
