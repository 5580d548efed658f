/*
 * blocked_by_reason.d: how long threads are blocked, by what they wait for
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace blocked_by_reason --lossless -c 'toy --caps=2 pipeline.toy' us
 *     times in us
 *
 *     lock or queue:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@        5322
 *                    1 |@                                        178
 *                    2 |@@@                                      452
 *                    4 |@@@                                      444
 *                    8 |                                         78
 *                   16 |                                         4
 *                   32 |                                         4
 *     ...
 *
 *     BLOCKED ON         TIMES        MEAN us     LONGEST us       TOTAL us
 *     lock or queue       6489             17          59505         114870
 *
 * Reading: The time from the moment when a thread stops because it cannot go on until it
 * is woken; the time that it then spends in a run queue is shown by sched_latency. First a
 * distribution for each reason, then the number, the mean, the longest and the sum. Times
 * are in ns; the argument us, ms or s gives another unit. A log of GHC has what it needs
 * too.
 *
 * Providers: vm.
 *
 * Cost: Up to four events for each run of a thread.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

/* A thread that has stopped for a reason below 6 has finished or can run again at once. */
vm$target:::thread-stop
/arg2 >= 6/
{
	since[pid, arg1] = timestamp;
	reason[pid, arg1] = arg2;
}

vm$target:::thread-wakeup,
vm$target:::thread-runnable,
vm$target:::thread-run
/since[pid, arg1]/
{
	this->blocked = timestamp - since[pid, arg1];
	this->status = reason[pid, arg1];
	this->reason = this->status == 6 ? "foreign call" : this->status == 7 ? "lock or queue" :
	    this->status == 8 ? "evaluation" : this->status == 9 ? "read" :
	    this->status == 10 ? "write" : this->status == 11 ? "delay" : "other";
	@times[this->reason] = quantize(this->blocked / scale);
	@count[this->reason] = count();
	@mean[this->reason] = avg(this->blocked);
	@longest[this->reason] = max(this->blocked);
	@total[this->reason] = sum(this->blocked);
	since[pid, arg1] = 0;
}

vm$target:::thread-exit
{
	since[pid, arg1] = 0;
	reason[pid, arg1] = 0;
}

END
{
	normalize(@mean, scale);
	normalize(@longest, scale);
	normalize(@total, scale);
	printf("times in %s\n\n", unit);
	printa("%s:%@d\n", @times);
	printf("%-16s %10s %14s %14s %14s\n", "BLOCKED ON", "TIMES", strjoin("MEAN ", unit),
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit));
	printa("%-16s %@10d %@14d %@14d %@14d\n", @count, @mean, @longest, @total);
}
