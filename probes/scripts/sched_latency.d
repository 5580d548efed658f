/*
 * sched_latency.d: how long runnable threads wait for a capability
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace sched_latency --lossless -c 'toy --caps=2 pipeline.toy' us
 *     waits in us
 *
 *     capability 1:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@                                 700
 *                    1 |@@@@@@@@@@@                              970
 *                    2 |@@@@@@@                                  653
 *     ...
 *     CAPABILITY        WAITS     LONGEST us        MEAN us
 *              0         3528           2455             11
 *              1         3593           2169              9
 *
 *         THREAD     LONGEST us
 *              4             97
 *              1            682
 *              2           1410
 *              5           2161
 *              3           2445
 *              6           2446
 *              7           2455
 *
 * Reading: First, for each capability, a distribution of the time that guest threads spent
 * in a run queue before they ran there. Then, for each capability, the number of these
 * waits, the longest one, and the mean. Then the longest wait of those 20 threads that
 * waited longest. Times are in ns; the argument us, ms or s gives another unit. It needs
 * the same few entries of memory however many threads there are.
 *
 * Providers: vm, HaskellEvent (logs of GHC).
 *
 * Cost: Two events for each run of a thread.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t waits;

vm$target:::thread-runnable
{
	since[arg1] = timestamp;
}

vm$target:::thread-run
/since[arg1]/
{
	this->wait = timestamp - since[arg1];
	@waits[arg0] = quantize(this->wait / scale);
	@count[arg0] = count();
	@longest[arg0] = max(this->wait);
	@mean[arg0] = avg(this->wait);
	@thread[arg1] = max(this->wait);
	since[arg1] = 0;
	waits++;
}

/* A server may have any number of threads; only those that waited longest are shown. */
vm$target:::thread-run
/waits > 10000/
{
	trunc(@thread, 20);
	waits = 0;
}

vm$target:::thread-exit
{
	since[arg1] = 0;
}

END
{
	normalize(@longest, scale);
	normalize(@mean, scale);
	normalize(@thread, scale);
	trunc(@thread, 20);
	printf("waits in %s\n\n", unit);
	printa("capability %d:%@d\n", @waits);
	printf("%10s %12s %14s %14s\n", "CAPABILITY", "WAITS", strjoin("LONGEST ", unit),
	    strjoin("MEAN ", unit));
	printa("%10d %@12d %@14d %@14d\n", @count, @longest, @mean);
	printf("\n");
	printf("%10s %14s\n", "THREAD", strjoin("LONGEST ", unit));
	printa("%10d %@14d\n", @thread);
}
