/*
 * gc_overhead.d: how much of each second goes to pauses, a line every second
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_overhead --lossless -c 'toy binary_trees.toy 20'
 *     SECOND  COLLECTIONS   FULL   PAUSES   LONGEST us     TOTAL us  SHARE
 *          1           75      4       75        59821       179512   17%
 *          2          121      0      121          892        90781    9%
 *          3          113      1      113        57423       144077   14%
 *          4           87      3       87        50283       240034   24%
 *          5           61      2       61        81589       221155   22%
 *          5            1      1        2        52041        52044   18%
 *
 * Reading: For each second the number of collections, how many of them were of the whole
 * heap, the number of pauses, the longest, their sum, and their share of the second. The
 * last line covers the last, incomplete second; a pause counts in the second in which it
 * ends. Python has the pauses of its collections, which a collection of the oldest
 * generation makes full; a collection of Ruby counts when it has marked.
 *
 * Providers: vm, ruby, python, hotspot, HaskellEvent.
 *
 * Cost: Three events for each collection.
 */
#pragma D option quiet

BEGIN
{
	lines = 0;
	began = timestamp;
	second = timestamp;
	@pauses = sum(0);
	@collections = sum(0);
	@full = sum(0);
	@longest = max(0);
	@paused = sum(0);
	@share = sum(0);
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
	@pauses = sum(1);
	@longest = max(this->pause / 1000);
	@paused = sum(this->pause / 1000);
	@share = sum(100 * this->pause);
}

#include "parts/collections.d"

vm$target:::gc-end
{
	@full = sum(arg2 ? 1 : 0);
}

/* Python's oldest generation is 2, HotSpot's 1. */
python$target:::gc-done,
hotspot$target:::gc-end
/this->counts && this->generation == (strstr(probeprov, "python") == probeprov ? 2 : 1)/
{
	@full = sum(1);
}

tick-1s,
END
/lines++ % 20 == 0/
{
	printf("%6s %12s %6s %8s %12s %12s %6s\n", "SECOND", "COLLECTIONS", "FULL", "PAUSES",
	    "LONGEST us", "TOTAL us", "SHARE");
}

tick-1s,
END
{
	this->elapsed = timestamp - second;
	normalize(@share, this->elapsed ? this->elapsed : 1);
	printf("%6d ", (timestamp - began + 500000000) / 1000000000);
	printa("%@12d %@6d %@8d %@12d %@12d %@5d%%\n", @collections, @full, @pauses, @longest,
	    @paused, @share);
	clear(@collections);
	clear(@full);
	clear(@pauses);
	clear(@longest);
	clear(@paused);
	denormalize(@share);
	clear(@share);
	second = timestamp;
}
