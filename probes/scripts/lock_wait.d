/*
 * lock_wait.d: how long threads wait for locks, by the lock's name
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace lock_wait --lossless -c 'toy --caps=2 pipeline.toy' us
 *     waits in us
 *
 *     account:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@                                    38
 *                    1 |@@@@@                                    38
 *                    2 |@@@@@@@@@@@@@@@@@@@@@@                   178
 *                    4 |@@@@@@@@                                 66
 *                    8 |@                                        5
 *                   16 |                                         4
 *                   32 |                                         0
 *
 *     LOCK         WAITS     LONGEST us       TOTAL us  SHARE
 *     account        329             20           1085   100%
 *
 * Reading: First a distribution for each name of the time from the moment when a thread
 * finds a lock taken until it acquires it. Then the number of waits, the longest wait, the
 * sum of all, and its share in all waiting. Locks of the same name count as one; a lock
 * acquired without waiting is left out. The lock that was waited for most often comes
 * last. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: One event for each acquired lock, and one for each wait.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t waited;

vm$target:::lock-wait
{
	since[arg1] = timestamp;
	lock[arg1] = arg2;
}

/* A thread that has given up waiting may acquire another lock at once. */
vm$target:::lock-acquired
/since[arg1] && lock[arg1] == arg2/
{
	this->wait = timestamp - since[arg1];
	@waits[copyinstr(arg3)] = quantize(this->wait / scale);
	@count[copyinstr(arg3)] = count();
	@longest[copyinstr(arg3)] = max(this->wait);
	@total[copyinstr(arg3)] = sum(this->wait);
	@share[copyinstr(arg3)] = sum(100 * this->wait);
	waited += this->wait;
}

vm$target:::lock-acquired,
vm$target:::thread-exit
{
	since[arg1] = 0;
	lock[arg1] = 0;
}

END
{
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, waited ? waited : 1);
	printf("waits in %s\n\n", unit);
	printa("%S:%@d\n", @waits);
	printf("%-24s %10s %14s %14s %6s\n", "LOCK", "WAITS", strjoin("LONGEST ", unit),
	    strjoin("TOTAL ", unit), "SHARE");
	printa("%-24s %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
