/*
 * gc_pause.d: how long the world stops, by reason and generation collected
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_pause --lossless -c 'toy binary_trees.toy' us
 *     pauses in us
 *
 *     exit, generation -1:
 *                value  ------------- Distribution ------------- count
 *                    1 |                                         0
 *                    2 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                    4 |                                         0
 *
 *     gc, generation 1:
 *                value  ------------- Distribution ------------- count
 *                 1024 |                                         0
 *                 2048 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                 4096 |                                         0
 *
 *     gc, generation 0:
 *                value  ------------- Distribution ------------- count
 *     ...
 *
 *     REASON GENERATION     PAUSES     LONGEST us       TOTAL us  SHARE
 *     exit           -1          1              2              2     0%
 *     gc              1          1           2991           2991     1%
 *     gc              0          9           1833           9627     6%
 *
 * Reading: First a distribution of the pauses for each reason. The generation is the
 * oldest one collected, or -1 for a pause without a collection. Then the number of pauses,
 * the longest pause, the sum of all, and their share of the time that was traced. Times
 * are in ns; the argument us, ms or s gives another unit. A log of GHC has pauses too: its
 * collections.
 *
 * Providers: vm.
 *
 * Cost: Four events for each pause.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

BEGIN
{
	start = timestamp;
}

vm$target:::pause-begin
{
	began = timestamp;
	generation = -1;
}

vm$target:::gc-start
/began/
{
	generation = (int)arg1;
}

vm$target:::pause-end
/began/
{
	this->pause = timestamp - began;
	@pauses[copyinstr(arg1), generation] = quantize(this->pause / scale);
	@count[copyinstr(arg1), generation] = count();
	@longest[copyinstr(arg1), generation] = max(this->pause);
	@total[copyinstr(arg1), generation] = sum(this->pause);
	@share[copyinstr(arg1), generation] = sum(100 * this->pause);
	began = 0;
}

END
{
	this->elapsed = timestamp - start;
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, this->elapsed ? this->elapsed : 1);
	printf("pauses in %s\n\n", unit);
	printa("%S, generation %d:%@d\n", @pauses);
	printf("%-16s %10s %10s %14s %14s %6s\n", "REASON", "GENERATION", "PAUSES",
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit), "SHARE");
	printa("%-16s %10d %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
