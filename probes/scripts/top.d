/*
 * top.d: what vmtap top shows: the CPU time of each method, by samples
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace top --lossless -c 'toy richards.toy'
 *      4711
 *                   Packet#add_to
 *                   HandlerTask#work
 *     ...
 *
 * Reading: It is made for vmtap top, which shows what has been added in each second. In this
 * order, each by process: the CPU time by stack; collections and pauses, in ns; pauses; threads
 * that exist and have been seen; bytes allocated in all. A method's own time is that of the stacks
 * that it is the innermost of. Calls and the bytes of a method cannot be counted by samples:
 * top_exact counts them.
 *
 * Providers: vm.
 *
 * Cost: 97 samples a second of each thread that runs, and a few events for each collection and
 * pause, and for the start and end of a thread.
 */
#pragma D option quiet
#pragma D option sample=97hz
#pragma D option dynvarsize=16m
#pragma D option aggsize=64m

vm*:::sample
{
	@time[pid, jstack()] = sum(arg2);
}

#include "parts/figures.d"

/* A thread that was created before the trace. */
vm*:::sample
/!exists[pid, arg1]/
{
	exists[pid, arg1] = 1;
	@threads[pid, execname] = sum(1);
}
