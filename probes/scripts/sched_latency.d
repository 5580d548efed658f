/*
 * sched_latency.d: how long runnable threads wait for a capability
 *
 *     $ vmtap trace sched_latency --lossless -c 'toy pipeline.toy'
 *     capability 0: ns
 *                value  ------------- Distribution ------------- count
 *                   16 |                                         0
 *                   32 |                                         1
 *                   64 |                                         0
 *                  128 |                                         2
 *                  256 |                                         12
 *                  512 |@@@@@@@                                  1653
 *     ...
 *
 *         THREAD     LONGEST ns         RUNS
 *              1           8783            5
 *              4         156203         1884
 *              7         276903          948
 *              2         466989          938
 *              5         467399         1884
 *              6         467569         1884
 *              3         467820         1883
 *
 * First, for each capability, a distribution of the time in ns that guest threads spent in
 * a run queue before they ran there. Then, for each thread, its longest wait and how often
 * it ran after waiting. The threads that waited longest come last.
 */
#pragma D option quiet

vm$target:::thread-runnable
{
	since[arg1] = timestamp;
}

vm$target:::thread-run
/since[arg1]/
{
	this->wait = timestamp - since[arg1];
	@waits[arg0] = quantize(this->wait);
	@longest[arg1] = max(this->wait);
	@runs[arg1] = count();
	since[arg1] = 0;
}

END
{
	printa("capability %d: ns%@d\n", @waits);
	printf("%10s %14s %12s\n", "THREAD", "LONGEST ns", "RUNS");
	printa("%10d %@14d %@12d\n", @longest, @runs);
}
