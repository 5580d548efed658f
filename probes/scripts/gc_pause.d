/*
 * gc_pause.d: how long the world stops, by reason and generation collected
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_pause --lossless -c 'toy binary_trees.toy' us
 *     pauses in us
 *
 *     exit:
 *                value  ------------- Distribution ------------- count
 *                    0 |                                         0
 *                    1 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                    2 |                                         0
 *
 *     gc, generation 1:
 *                value  ------------- Distribution ------------- count
 *                  512 |                                         0
 *                 1024 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                 2048 |                                         0
 *
 *     gc, generation 0:
 *                value  ------------- Distribution ------------- count
 *     ...
 *
 *     REASON GENERATION     PAUSES     LONGEST us       TOTAL us  SHARE
 *     exit            -          1              1              1     0%
 *     gc              1          1           1906           1906     2%
 *     gc              0          9           1205           7324     8%
 *
 * Reading: First a distribution of the pauses for each reason. The generation is the
 * oldest one collected; a pause without a collection has none, nor do those of Ruby, which
 * are the steps of marking and sweeping. HotSpot has 1 for a collection of the whole heap.
 * Then the number of pauses, the longest pause, the sum of all, and their share of the
 * time that was traced. Times are in ns; the argument us, ms or s gives another unit. A
 * log of GHC has its collections.
 *
 * Providers: vm, ruby, python, hotspot, HaskellEvent.
 *
 * Cost: Up to three events for each pause.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

BEGIN
{
	start = timestamp;
}

#include "parts/pauses.d"

vm$target:::pause-end,
ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
/this->counts/
{
	@pauses[this->what] = quantize(this->pause / scale);
	@count[this->reason, this->oldest] = count();
	@longest[this->reason, this->oldest] = max(this->pause);
	@total[this->reason, this->oldest] = sum(this->pause);
	@share[this->reason, this->oldest] = sum(100 * this->pause);
}

END
{
	this->elapsed = timestamp - start;
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, this->elapsed ? this->elapsed : 1);
	printf("pauses in %s\n\n", unit);
	printa("%S:%@d\n", @pauses);
	printf("%-16s %10s %10s %14s %14s %6s\n", "REASON", "GENERATION", "PAUSES",
	    strjoin("LONGEST ", unit), strjoin("TOTAL ", unit), "SHARE");
	printa("%-16s %10s %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
