/*
 * gc_requests.d: who asks for collections: the method that runs then
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_requests --lossless -c 'toy binary_trees.toy'
 *     CAPABILITY CLASS      METHOD        REQUESTS
 *              0            (no method)          1
 *              0 Tree.class build                9
 *
 * Reading: The method whose allocation, or call of the collector, led to the collection,
 * and the capability it ran on. Code outside of any method is (no method), and so are
 * methods that were entered before the trace began.
 *
 * Providers: vm, ruby, python.
 *
 * Cost: Two events for each call, one for each collection and each switch of threads.
 */
#pragma D option quiet
#pragma D option dynvarsize=16m

#include "parts/calls.d"
#include "parts/returns.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	self->thread = this->thread;
	this->level = ++level[pid, this->thread];
	class[pid, this->thread, this->level] = this->class;
	method[pid, this->thread, this->level] = this->method;
}

*$target:::[mf]*[dn]-return
/this->counts/
{
	self->thread = this->thread;
	this->level = level[pid, this->thread];
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	class[pid, this->thread, this->level] = 0;
	method[pid, this->thread, this->level] = 0;
	level[pid, this->thread]--;
}

vm$target:::thread-run
{
	self->thread = arg1;
}

vm$target:::gc-request
{
	this->cap = arg0;
	this->asks = 1;
}

/* These runtimes begin a collection where it is requested. */
ruby$target:::gc-mark-begin,
python$target:::gc-start
{
	this->cap = 0;
	this->asks = origin[pid] == probeprov;
}

vm$target:::gc-request,
ruby$target:::gc-mark-begin,
python$target:::gc-start
/this->asks/
{
	this->level = level[pid, self->thread];
	this->known = this->level > 0;
	@requests[this->cap, this->known ? class[pid, self->thread, this->level] : "",
	    this->known ? method[pid, self->thread, this->level] : "(no method)"] = count();
}

END
{
	printf("%10s %-24s %-24s %10s\n", "CAPABILITY", "CLASS", "METHOD", "REQUESTS");
	printa("%10d %-24s %-24s %@10d\n", @requests);
}
