/*
 * sched_runs.d: how long threads run until they stop, and why they stop
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace sched_runs --lossless -c 'toy --caps=2 pipeline.toy' us
 *     runs in us
 *
 *     capability 1:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@             2730
 *                    1 |@@@@@@@                                  678
 *                    2 |@                                        112
 *                    4 |                                         5
 *                    8 |@@                                       162
 *                   16 |@@                                       198
 *                   32 |                                         3
 *     ...
 *                 8192 |                                         0
 *
 *     STOPPED BECAUSE       RUNS        MEAN us     LONGEST us       TOTAL us
 *     finished                 7            352           2422           2464
 *     lock or queue         7517              6           7021          50607
 *
 * Reading: First, for each capability, a distribution of the time that guest threads ran
 * without a stop. Then, for each reason to stop, the number of runs that it ended, and the
 * mean, the longest and the sum of these runs. Many short runs that end by a lock or queue
 * mean that threads hand over work in small pieces. Times are in ns; the argument us, ms
 * or s gives another unit.
 *
 * Providers: vm, HaskellEvent (logs of GHC).
 *
 * Cost: Two events for each run of a thread.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

vm$target:::thread-run
{
	since[pid, arg1] = timestamp;
}

vm$target:::thread-stop
/since[pid, arg1]/
{
	this->ran = timestamp - since[pid, arg1];
	this->reason = arg2 == 1 ? "heap" : arg2 == 2 ? "stack" : arg2 == 3 ? "yield" :
	    arg2 == 5 ? "finished" : arg2 == 6 ? "foreign call" : arg2 == 7 ? "lock or queue" :
	    arg2 == 8 ? "evaluation" : arg2 == 9 ? "read" : arg2 == 10 ? "write" :
	    arg2 == 11 ? "delay" : "other";
	@runs[arg0] = quantize(this->ran / scale);
	@count[this->reason] = count();
	@mean[this->reason] = avg(this->ran);
	@longest[this->reason] = max(this->ran);
	@total[this->reason] = sum(this->ran);
	since[pid, arg1] = 0;
}

END
{
	normalize(@mean, scale);
	normalize(@longest, scale);
	normalize(@total, scale);
	printf("runs in %s\n\n", unit);
	printa("capability %d:%@d\n", @runs);
	printf("%-16s %10s %14s %14s %14s\n", "STOPPED BECAUSE", "RUNS", strjoin("MEAN ", unit),
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit));
	printa("%-16s %@10d %@14d %@14d %@14d\n", @count, @mean, @longest, @total);
}
