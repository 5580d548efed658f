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
 * Providers: vm.
 *
 * Cost: Two events for each call, one for each collection and each switch of threads.
 */
#pragma D option quiet
#pragma D option dynvarsize=16m

vm$target:::method-entry
{
	self->thread = arg4;
	this->level = ++level[pid, arg4];
	class[pid, arg4, this->level] = copyinstr(arg0);
	method[pid, arg4, this->level] = copyinstr(arg1);
}

vm$target:::method-return
{
	self->thread = arg4;
	this->level = level[pid, arg4];
}

vm$target:::method-return
/this->level > 0/
{
	class[pid, arg4, this->level] = 0;
	method[pid, arg4, this->level] = 0;
	level[pid, arg4]--;
}

vm$target:::thread-run
{
	self->thread = arg1;
}

vm$target:::gc-request
{
	this->level = level[pid, self->thread];
	this->known = this->level > 0;
	@requests[arg0, this->known ? class[pid, self->thread, this->level] : "",
	    this->known ? method[pid, self->thread, this->level] : "(no method)"] = count();
}

END
{
	printf("%10s %-24s %-24s %10s\n", "CAPABILITY", "CLASS", "METHOD", "REQUESTS");
	printa("%10d %-24s %-24s %@10d\n", @requests);
}
