/*
 * blocked_by_reason.d: how long threads are blocked, by what they wait for
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace blocked_by_reason --lossless -c 'toy --caps=2 pipeline.toy' us
 *     times in us
 *
 *     lock account:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@                               345
 *                    1 |@@@@                                     123
 *                    2 |@@@@@@                                   215
 *                    4 |@@@@@                                    170
 *                    8 |@@                                       84
 *                   16 |@@@@@@@@@@@                              390
 *                   32 |@                                        47
 *     ...
 *
 *     BLOCKED ON        TIMES        MEAN us     LONGEST us       TOTAL us
 *     join                  3          17296          31351          51888
 *     lock account       1403             21           2292          29787
 *     queue              7607              6           2862          50941
 *
 * Reading: The time from the moment when a thread cannot go on until it is woken; the time
 * that it then spends in a run queue is shown by sched_latency. What it waits for is what
 * the VM says of it: the name of a lock, the reason why the thread was parked, or why it
 * has stopped. Java threads park, sleep, and wait for locks and objects, by class. First a
 * distribution for each reason, then the number, the mean, the longest and the sum. Times
 * are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, hotspot, HaskellEvent (logs of GHC).
 *
 * Cost: Up to six events for each run of a thread, and one for each acquired lock.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

this uint64_t thread;

/* What a VM says of a wait is more than the number in thread-stop. */
vm$target:::thread-park
{
	this->thread = arg1;
	since[pid, this->thread] = timestamp;
	reason[pid, this->thread] = copyinstr(arg2);
}

vm$target:::lock-wait
{
	this->thread = arg1;
	since[pid, this->thread] = timestamp;
	reason[pid, this->thread] = strjoin("lock ", copyinstr(arg3));
}

/* A thread that has stopped for a reason below 6 has finished or can run again at once. */
vm$target:::thread-stop
/arg2 >= 6 && !since[pid, arg1]/
{
	since[pid, arg1] = timestamp;
	reason[pid, arg1] = arg2 == 6 ? "foreign call" : arg2 == 7 ? "lock or queue" :
	    arg2 == 8 ? "evaluation" : arg2 == 9 ? "read" : arg2 == 10 ? "write" :
	    arg2 == 11 ? "delay" : "other";
}

hotspot$target:::thread-park-begin
{
	since[pid, tid] = timestamp;
	reason[pid, tid] = "park";
}

hotspot$target:::thread-sleep-begin
{
	since[pid, tid] = timestamp;
	reason[pid, tid] = "sleep";
}

hotspot$target:::monitor-wait
{
	since[pid, tid] = timestamp;
	reason[pid, tid] = strjoin("wait ", stringof(copyin(arg2, arg3)));
}

hotspot$target:::monitor-contended-enter
{
	since[pid, tid] = timestamp;
	reason[pid, tid] = strjoin("lock ", stringof(copyin(arg2, arg3)));
}

vm$target:::thread-wakeup,
vm$target:::thread-runnable,
vm$target:::thread-run,
vm$target:::thread-unpark,
vm$target:::lock-acquired
{
	this->thread = arg1;
}

hotspot$target:::thread-park-end,
hotspot$target:::thread-sleep-end,
hotspot$target:::monitor-waited,
hotspot$target:::monitor-contended-entered
{
	this->thread = tid;
}

vm$target:::thread-wakeup,
vm$target:::thread-runnable,
vm$target:::thread-run,
vm$target:::thread-unpark,
vm$target:::lock-acquired,
hotspot$target:::thread-park-end,
hotspot$target:::thread-sleep-end,
hotspot$target:::monitor-waited,
hotspot$target:::monitor-contended-entered
/since[pid, this->thread]/
{
	this->blocked = timestamp - since[pid, this->thread];
	this->reason = reason[pid, this->thread];
	@times[this->reason] = quantize(this->blocked / scale);
	@count[this->reason] = count();
	@mean[this->reason] = avg(this->blocked);
	@longest[this->reason] = max(this->blocked);
	@total[this->reason] = sum(this->blocked);
	since[pid, this->thread] = 0;
	reason[pid, this->thread] = 0;
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
	printf("%-24s %10s %14s %14s %14s\n", "BLOCKED ON", "TIMES", strjoin("MEAN ", unit),
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit));
	printa("%-24s %@10d %@14d %@14d %@14d\n", @count, @mean, @longest, @total);
}
