/*
 * blocked_by_waker.d: how long threads are blocked, by who wakes them
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace blocked_by_waker --lossless -c 'toy --caps=2 pipeline.toy' us
 *     THREAD       WOKEN BY          TIMES        MEAN us     LONGEST us       TOTAL us
 *     1 main       4 worker 1            1              0              0              0
 *     1 main       7 collector           1              0              0              0
 *     7 collector  1 main                1              1              1              1
 *     4 worker 1   1 main                1              2              2              2
 *     ...
 *     7 collector  5 worker 2          734              5           1694           4274
 *     4 worker 1   2 producer 0        760              0             39            207
 *     4 worker 1   5 worker 2          829              3            336           3156
 *     5 worker 2   4 worker 1          939              2            110           2235
 *     7 collector  4 worker 1          963             10           8412           9750
 *     3 producer 1 4 worker 1         1246              0            117            996
 *
 * Reading: For each thread, by number and name, and each thread that woke it: how often,
 * and for how long it had been blocked. (the VM): no thread ran on the capability that
 * woke it, for instance because a timer had expired. The pair that is seen most often
 * comes last. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, HaskellEvent (logs of GHC).
 *
 * Cost: Three events for each run of a thread.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

vm$target:::thread-label
{
	label[pid, arg1] = strjoin(" ", copyinstr(arg2));
}

vm$target:::thread-run
{
	running[pid, arg0] = arg1;
}

vm$target:::thread-stop
{
	running[pid, arg0] = 0;
}

vm$target:::thread-stop
/arg2 >= 6/
{
	since[pid, arg1] = timestamp;
}

vm$target:::thread-wakeup
/since[pid, arg1]/
{
	this->blocked = timestamp - since[pid, arg1];
	this->waker = running[pid, arg0];
	this->who = strjoin(lltostr(arg1), label[pid, arg1] == NULL ? "" : label[pid, arg1]);
	this->by = this->waker ? strjoin(lltostr(this->waker),
	    label[pid, this->waker] == NULL ? "" : label[pid, this->waker]) : "(the VM)";
	@count[this->who, this->by] = count();
	@mean[this->who, this->by] = avg(this->blocked);
	@longest[this->who, this->by] = max(this->blocked);
	@total[this->who, this->by] = sum(this->blocked);
	since[pid, arg1] = 0;
}

vm$target:::thread-exit
{
	since[pid, arg1] = 0;
	label[pid, arg1] = 0;
}

END
{
	normalize(@mean, scale);
	normalize(@longest, scale);
	normalize(@total, scale);
	printf("%-24s %-24s %10s %14s %14s %14s\n", "THREAD", "WOKEN BY", "TIMES",
	    strjoin("MEAN ", unit), strjoin("LONGEST ", unit), strjoin("TOTAL ", unit));
	printa("%-24s %-24s %@10d %@14d %@14d %@14d\n", @count, @mean, @longest, @total);
}
