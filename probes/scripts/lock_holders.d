/*
 * lock_holders.d: who waits for locks, and who held them
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace lock_holders --lossless -c 'toy --caps=2 pipeline.toy' us
 *     LOCK    WAITER     HOLDER                WAITS     LONGEST us       TOTAL us  SHARE
 *     account 6 worker 3 after 4 worker 1          1              3              3     0%
 *     account 4 worker 1 6 worker 3                1             12             12     0%
 *     account 5 worker 2 6 worker 3                1             12             12     0%
 *     account 6 worker 3 after 6 worker 3          3              2              4     0%
 *     account 4 worker 1 after 4 worker 1        120              5            276     6%
 *     account 5 worker 2 after 5 worker 2        123           3718           3999    92%
 *
 * Reading: For each lock's name, the thread that waited, by number and name, and the
 * thread that held the lock when the wait began: (unknown) if it acquired the lock before
 * the trace, and "after" the last holder if that had just released it. Then the number of
 * waits, the longest, the sum, and its share in all waiting. Times are in ns; the argument
 * us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: Two events for each acquired lock, and one for each wait.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint32_t holder[pid_t, uint64_t], last[pid_t, uint64_t];
uint64_t waited;

vm$target:::thread-label
{
	label[pid, arg1] = strjoin(" ", copyinstr(arg2));
}

vm$target:::lock-wait
{
	since[pid, arg1] = timestamp;
	lock[pid, arg1] = arg2;
	from[pid, arg1] = holder[pid, arg2] ? holder[pid, arg2] : last[pid, arg2];
	free[pid, arg1] = !holder[pid, arg2] && last[pid, arg2];
}

/* A thread that has given up waiting may acquire another lock at once. */
vm$target:::lock-acquired
/since[pid, arg1] && lock[pid, arg1] == arg2/
{
	this->wait = timestamp - since[pid, arg1];
	this->holder = from[pid, arg1];
	this->who = strjoin(lltostr(arg1), label[pid, arg1] == NULL ? "" : label[pid, arg1]);
	this->by = this->holder ? strjoin(lltostr(this->holder),
	    label[pid, this->holder] == NULL ? "" : label[pid, this->holder]) : "(unknown)";
	this->by = free[pid, arg1] ? strjoin("after ", this->by) : this->by;
	@count[copyinstr(arg3), this->who, this->by] = count();
	@longest[copyinstr(arg3), this->who, this->by] = max(this->wait);
	@total[copyinstr(arg3), this->who, this->by] = sum(this->wait);
	@share[copyinstr(arg3), this->who, this->by] = sum(100 * this->wait);
	waited += this->wait;
}

vm$target:::lock-acquired
{
	holder[pid, arg2] = arg1;
	since[pid, arg1] = 0;
	lock[pid, arg1] = 0;
}

vm$target:::lock-release
/holder[pid, arg2] == arg1/
{
	last[pid, arg2] = arg1;
	holder[pid, arg2] = 0;
}

vm$target:::thread-exit
{
	since[pid, arg1] = 0;
	lock[pid, arg1] = 0;
	from[pid, arg1] = 0;
	label[pid, arg1] = 0;
}

END
{
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, waited ? waited : 1);
	printf("%-16s %-20s %-20s %10s %14s %14s %6s\n", "LOCK", "WAITER", "HOLDER", "WAITS",
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit), "SHARE");
	printa("%-16s %-20s %-20s %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
