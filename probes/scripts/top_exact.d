/*
 * top_exact.d: what vmtap top shows: the time of each method, its calls and its bytes
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace top_exact --lossless -c 'toy redefine.toy'
 *      4711  Square                          area                  2000
 *     ...
 *
 * Reading: It is made for vmtap top, which shows what has been added in each second. In this
 * order, each by process: calls by method; the time until a call, by the stack of the
 * method that is called, whose caller has spent it; the time until a return, by the stack
 * of the method that returns; bytes allocated, by stack; collections and pauses, in ns;
 * pauses; threads that exist and have been seen; bytes allocated in all. A method's own
 * time is that of the stacks that it is the innermost of.
 *
 * Providers: vm.
 *
 * Cost: Two events with a stack for each call, one for each allocation, and a few for each
 * collection, pause and switch of threads.
 */
#pragma D option quiet
#pragma D option dynvarsize=64m
#pragma D option aggsize=64m

uint64_t last[pid_t, uint32_t];

vm*:::method-entry,
vm*:::method-return
{
	this->thread = arg4 ? arg4 : tid;
	this->last = last[pid, this->thread];
}

/* The time since the thread's last event belongs to whoever calls now, or returns now. */
vm*:::method-entry
{
	@calls[pid, copyinstr(arg0), copyinstr(arg1)] = count();
}

vm*:::method-entry
/this->last/
{
	@caller_time[pid, jstack()] = sum(timestamp - this->last);
}

vm*:::method-return
/this->last/
{
	@time[pid, jstack()] = sum(timestamp - this->last);
}

vm*:::method-entry,
vm*:::method-return
{
	last[pid, this->thread] = timestamp;
}

/* A thread that waits spends nothing. */
vm*:::thread-stop
/last[pid, arg1]/
{
	@time[pid, jstack()] = sum(timestamp - last[pid, arg1]);
	last[pid, arg1] = 0;
}

vm*:::thread-run
{
	last[pid, arg1] = timestamp;
}

vm*:::object-create
{
	@bytes[pid, jstack()] = sum(arg1);
}

vm*:::array-create,
vm*:::hash-create,
vm*:::string-create
{
	@bytes[pid, jstack()] = sum(arg3);
}

#include "parts/figures.d"

/* A thread that was created before the trace. */
vm*:::thread-run
/!exists[pid, arg1]/
{
	exists[pid, arg1] = 1;
	@threads[pid, execname] = sum(1);
}
