/*
 * gc_overhead.d: how much of each second goes to pauses, a line every second
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_overhead --lossless -c 'toy binary_trees.toy 18'
 *     SECOND  COLLECTIONS   FULL   PAUSES   LONGEST us     TOTAL us  SHARE
 *          1           35      2       35        25575       106531   10%
 *          2           40      0       40         8969        66233    6%
 *          3           19      2       19        45315       128817   12%
 *          3            1      1        2        25888        25891   83%
 *
 * Reading: For each second the number of collections, how many of them were of the whole
 * heap, the number of pauses, the longest, their sum, and their share of the second. The
 * last line covers the last, incomplete second; a pause counts in the second in which it
 * ends.
 *
 * Providers: vm.
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

vm$target:::gc-end
{
	@collections = sum(1);
}

vm$target:::gc-end
/arg2/
{
	@full = sum(1);
}

vm$target:::pause-begin
{
	since[pid] = timestamp;
}

vm$target:::pause-end
/since[pid]/
{
	this->paused = timestamp - since[pid];
	@pauses = sum(1);
	@longest = max(this->paused / 1000);
	@paused = sum(this->paused / 1000);
	@share = sum(100 * this->paused);
	since[pid] = 0;
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
