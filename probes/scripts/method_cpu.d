/*
 * method_cpu.d: the CPU time spent in each method, with and without what it calls
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_cpu --lossless -c 'toy richards.toy' us
 *     CLASS       METHOD           EXCLUSIVE us   INCLUSIVE us      CALLS  SHARE
 *     Scheduler   queued                      2              2          4     0%
 *     Scheduler   holds                       2              2          4     0%
 *     WorkerTask  init                        5              8          4     0%
 *     ...
 *     DeviceTask  work                   133691         554277     111536     4%
 *     Task        blocked                249465         249465     426416     7%
 *     Scheduler   queue_packet           339754         800762      92984    10%
 *     HandlerTask work                   355349        1073693      93008    10%
 *     Task        run                    368755        2439078     263160    11%
 *     Scheduler   run                    514093        3294694          4    15%
 *
 * Reading: As method_time, but with the CPU time of the guest thread: while a thread
 * waits, or another one runs on the same OS thread, its clock stands still. A log needs
 * vmtap record --cpu-clock. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: Two events for each call, each with a system call that reads the clock of the CPU
 * time: about 240 ns.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t spent[pid_t, uint32_t];
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

vm$target:::method-entry
{
	this->clock = spent[pid, arg4] + vtimestamp - since[pid, arg4];
	this->level = ++level[pid, arg4];
	start[pid, arg4, this->level] = this->clock + 1;
	own[pid, arg4, this->level] = this->clock + 1;
}

vm$target:::method-return
{
	this->level = level[pid, arg4];
	this->clock = spent[pid, arg4] + vtimestamp - since[pid, arg4] + 1;
	this->start = this->level > 0 ? start[pid, arg4, this->level] : 0;
	this->mine = this->level > 0 ? own[pid, arg4, this->level] : 0;
}

vm$target:::method-return
/this->start && this->mine/
{
	this->used = this->clock - this->start;
	this->own = this->clock - this->mine;
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@inclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->used);
	@exclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->own);
	@share[copyinstr(arg0), copyinstr(arg1)] = sum(100 * this->own);
	total += this->own;
	own[pid, arg4, this->level - 1] += this->level > 1 ? this->used : 0;
}

vm$target:::method-return
/this->level > 0/
{
	start[pid, arg4, this->level] = 0;
	own[pid, arg4, this->level] = 0;
	level[pid, arg4]--;
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
