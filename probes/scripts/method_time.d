/*
 * method_time.d: the time spent in each method, with and without what it calls
 *
 *     vmtap trace method_time -p PID
 *
 * Inclusive time runs from a method's entry to its return; a method that calls itself
 * counts the inner call in both. Exclusive time leaves out the methods it calls; the time
 * of methods written in C is their caller's. Both are the clock's time in ns: a thread
 * that waits spends it too. Green threads share OS threads, so everything is kept by the
 * guest thread (arg4), not in self->. Calls that began before the trace are left out. The
 * most expensive come last.
 */
#pragma D option quiet

vm$target:::method-entry
{
	level[arg4]++;
	start[arg4, level[arg4]] = timestamp;
	own[arg4, level[arg4]] = timestamp;
}

/* A caller's own start moves on by what its callee took. */
vm$target:::method-return
/level[arg4] > 0/
{
	this->level = level[arg4];
	this->elapsed = timestamp - start[arg4, this->level];
	this->own = timestamp - own[arg4, this->level];
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@inclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->elapsed);
	@exclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->own);
	start[arg4, this->level] = 0;
	own[arg4, this->level] = 0;
	own[arg4, this->level - 1] += this->level > 1 ? this->elapsed : 0;
	level[arg4]--;
}

END
{
	printf("%-24s %-24s %14s %14s %10s\n", "CLASS", "METHOD", "EXCLUSIVE ns", "INCLUSIVE ns",
	    "CALLS");
	printa("%-24s %-24s %@14d %@14d %@10d\n", @exclusive, @inclusive, @calls);
}
