/*
 * sched_latency.d: how long runnable threads wait for a capability
 *
 *     vmtap trace sched_latency -p PID
 *
 * The time in ns from a guest thread's entry into a run queue to its first run, as a
 * distribution for each capability it then ran on; and for each thread how often it ran
 * after waiting, and its longest wait. The threads that waited longest come last.
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
