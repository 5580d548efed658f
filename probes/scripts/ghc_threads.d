/*
 * ghc_threads.d: a Haskell program's threads: how long they ran, and why they stopped
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace ghc_threads --log spin.eventlog us
 *     LABEL                     TIME us     LONGEST us       RUNS  SHARE
 *     TimerManager                   15             15          1     0%
 *     IOManager on cap 1             29             20          3     0%
 *     spark evaluator              8419           1379         58    18%
 *     (none)                      37358           3258        177    81%
 *
 *     STOPPED BECAUSE                STOPS
 *     blocked on an MVar                17
 *     finished                          32
 *     heap overflow                     74
 *     yielding                          79
 *
 * Reading: For a log of GHC's run-time system (+RTS -l). Time that a thread ran before it
 * was given its label counts for (none). Times are in ns; the argument us, ms or s gives
 * another unit.
 *
 * Providers: HaskellEvent.
 *
 * Cost: Nothing: it reads a log.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t total;

HaskellEvent$target:::thread-label
{
	label[arg1] = copyinstr(arg2);
	labelled[arg1] = 1;
}

HaskellEvent$target:::run-thread
{
	since[arg1] = timestamp;
}

HaskellEvent$target:::stop-thread
/since[arg1]/
{
	this->ran = timestamp - since[arg1];
	this->label = labelled[arg1] ? label[arg1] : "(none)";
	@runs[this->label] = count();
	@time[this->label] = sum(this->ran);
	@longest[this->label] = max(this->ran);
	@share[this->label] = sum(100 * this->ran);
	total += this->ran;
	since[arg1] = 0;
}

HaskellEvent$target:::stop-thread
{
	@stops[arg2 == 1 ? "heap overflow" : arg2 == 2 ? "stack overflow" :
	    arg2 == 3 ? "yielding" : arg2 == 5 ? "finished" : arg2 == 6 ? "foreign call" :
	    arg2 == 7 ? "blocked on an MVar" : arg2 == 8 ? "blocked on a black hole" :
	    arg2 == 9 ? "blocked on a read" : arg2 == 10 ? "blocked on a write" :
	    arg2 == 11 ? "blocked on a delay" : arg2 == 12 ? "blocked in STM" :
	    arg2 == 18 ? "throwing to a thread" : arg2 == 20 ? "reading an MVar" : "other"] =
	    count();
}

HaskellEvent$target:::stop-thread
/arg2 == 5/
{
	label[arg1] = 0;
	labelled[arg1] = 0;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	normalize(@share, total ? total : 1);
	printf("%-24s %14s %14s %10s %6s\n", "LABEL", strjoin("TIME ", unit),
	    strjoin("LONGEST ", unit), "RUNS", "SHARE");
	printa("%-24s %@14d %@14d %@10d %@5d%%\n", @time, @longest, @runs, @share);
	printf("\n");
	printf("%-24s %12s\n", "STOPPED BECAUSE", "STOPS");
	printa("%-24s %@12d\n", @stops);
}
