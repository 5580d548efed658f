/*
 * blocked_by_waker.d: how long threads are blocked, by who wakes them
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace blocked_by_waker --lossless -c 'toy --caps=2 pipeline.toy' us
 *     THREAD       WOKEN BY          TIMES        MEAN us     LONGEST us       TOTAL us
 *     7 collector  1 main                1              0              0              0
 *     6 worker 3   1 main                1              1              1              1
 *     5 worker 2   1 main                1              1              1              1
 *     1 main       4 worker 1            1            111            111            111
 *     ...
 *     7 collector  6 worker 3          556              5           1375           2805
 *     5 worker 2   2 producer 0        819              0              6            165
 *     4 worker 1   2 producer 0        828              0              2            179
 *     2 producer 0 4 worker 1          835              0            231            395
 *     6 worker 3   2 producer 0        913              0             13            178
 *     3 producer 1 4 worker 1         1287              2            952           3190
 *
 * Reading: For each thread, by number and name, and each thread that woke it: how often,
 * and for how long it had been blocked. (the VM): no thread ran on the capability that
 * woke it, for instance because a timer had expired. The pair that is seen most often
 * comes last. Times are in ns; the argument us, ms or s gives another unit. A log of GHC
 * has what it needs too.
 *
 * Providers: vm.
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
