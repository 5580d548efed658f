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
 *                    0 |                                         0
 *                    1 |@                                        6
 *                    2 |@@@@@@                                   52
 *                    4 |@@@                                      32
 *                    8 |@                                        11
 *                   16 |@@@@@@@@@@@@@@                           131
 *                   32 |@@@@@@@@@@@@@                            124
 *                   64 |@@                                       15
 *                  128 |@                                        7
 *                  256 |                                         0
 *
 *     LOCK         WAITS     LONGEST us       TOTAL us  SHARE
 *     account        378            193          11062   100%
 *
 * Reading: First a distribution for each name of the time from the moment when a thread
 * finds a lock taken until it acquires it. Then the number of waits, the longest wait, the
 * sum of all, and its share in all waiting. Locks of the same name count as one; a lock
 * acquired without waiting is left out. The lock that was waited for most often comes
 * last. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, hotspot.
 *
 * Cost: One event for each acquired lock, and one for each wait.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t waited;

this uint64_t thread, lock;

vm$target:::lock-wait,
vm$target:::lock-acquired
{
	this->thread = arg1;
	this->lock = arg2;
	this->name = copyinstr(arg3);
}

/* A lock of HotSpot has the name of its object's class. */
hotspot$target:::monitor-contended-enter,
hotspot$target:::monitor-contended-entered
{
	this->thread = arg0;
	this->lock = arg1;
	this->name = stringof(copyin(arg2, arg3));
}

vm$target:::lock-wait,
hotspot$target:::monitor-contended-enter
{
	since[pid, this->thread] = timestamp;
	lock[pid, this->thread] = this->lock;
}

/* A thread that has given up waiting may acquire another lock at once. */
vm$target:::lock-acquired,
hotspot$target:::monitor-contended-entered
/since[pid, this->thread] && lock[pid, this->thread] == this->lock/
{
	this->wait = timestamp - since[pid, this->thread];
	@waits[this->name] = quantize(this->wait / scale);
	@count[this->name] = count();
	@longest[this->name] = max(this->wait);
	@total[this->name] = sum(this->wait);
	@share[this->name] = sum(100 * this->wait);
	waited += this->wait;
}

vm$target:::lock-acquired,
hotspot$target:::monitor-contended-entered
{
	since[pid, this->thread] = 0;
	lock[pid, this->thread] = 0;
}

vm$target:::thread-exit
{
	since[pid, arg1] = 0;
	lock[pid, arg1] = 0;
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
