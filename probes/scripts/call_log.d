/*
 * call_log.d: each call and return as a line for other programs
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace call_log --lossless -c 'toy redefine.toy'
 *               TIME     PID     TID   THREAD    METHOD
 *     19347116421507    4711    4711        1 => Object#total
 *     19347116424419    4711    4711        1 -> Square#init
 *     19347116424817    4711    4711        1 <- Square#init
 *     19347116425140    4711    4711        1 -> Square#area
 *     ...
 *
 * Reading: The time in ns, the process, its thread of the system, the guest thread, a call
 * (->) or a return (<-), and the method. => and <= instead are the first call or return
 * that is seen of a thread of the system. Methods written in C are there, too, of VMs and
 * of Ruby. The lines are in the order of time. A return may
 * be missing where a call did not end in order, and a thread's first returns may be of
 * calls that began before the trace. vmtap flame --exact and vmtap top --exact draw their
 * pictures from these lines.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events and two lines for each call.
 */
#pragma D option quiet
#pragma D option dynvarsize=16m
#pragma D option bufsize=16m

self int seen;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/natives.d"
#include "parts/names.d"

BEGIN
{
	printf("%16s %7s %7s %8s    %s\n", "TIME", "PID", "TID", "THREAD", "METHOD");
}

*$target:::[mf]*[dn]-entry,
*$target:::[cn][ma]*[de]-entry
/this->counts/
{
	printf("%16d %7d %7d %8d %s %s\n", timestamp, pid, tid, this->thread,
	    self->seen ? "->" : "=>", this->name);
	self->seen = 1;
}

*$target:::[mf]*[dn]-return,
*$target:::[cn][ma]*[de]-return
/this->counts/
{
	printf("%16d %7d %7d %8d %s %s\n", timestamp, pid, tid, this->thread,
	    self->seen ? "<-" : "<=", this->name);
	self->seen = 1;
}
