/*
 * metrics.d: what vmtap serve shows without a script: pauses, collections, heap, threads
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace metrics --lossless -c 'toy redefine.toy'
 *
 *      4711  toy                            1                5
 *      4711  toy                            0               49
 *     ...
 *      4711  toy              LoadError                         1
 *      4711  toy              OutOfMemoryError                  1
 *      4711  toy              StackError                        1
 *      4711  toy              Error                            21
 *      4711  toy              ArgumentError                  2001
 *
 * Reading: It is made for vmtap serve, which gives each aggregation its name. In this
 * order, each by process: collections by generation; pauses by reason, as distributions and
 * in sum, in ns; the bytes allocated since the VM started; the heap's size and its live part
 * after the last collection; threads created, threads ended, and switches between threads;
 * exceptions by class.
 *
 * Providers: vm.
 *
 * Cost: A few events for each collection, pause, switch of threads and exception.
 */
#pragma D option quiet
#pragma D option switchrate=100ms

uint64_t allocated[pid_t], size[pid_t], live[pid_t];

vm*:::gc-end
{
	this->generation = arg1;
	@collections[pid, execname, this->generation] = count();
}

vm*:::pause-begin
{
	since[pid] = timestamp;
}

vm*:::pause-end
/since[pid]/
{
	this->reason = copyinstr(arg1);
	@pause_seconds[pid, execname, this->reason] = quantize(timestamp - since[pid]);
	@paused_seconds_total[pid, execname, this->reason] = sum(timestamp - since[pid]);
	since[pid] = 0;
}

vm*:::heap
/arg1 >= allocated[pid]/
{
	@allocated_bytes_total[pid, execname] = sum(arg1 - allocated[pid]);
	allocated[pid] = arg1;
}

/* The sum of the changes is the present value. */
vm*:::heap
{
	@heap_size_bytes[pid, execname] = sum((int64_t)(arg2 - size[pid]));
	@heap_live_bytes[pid, execname] = sum((int64_t)(arg3 - live[pid]));
	size[pid] = arg2;
	live[pid] = arg3;
}

vm*:::thread-create
{
	@threads_created[pid, execname] = count();
}

vm*:::thread-exit
{
	@threads_ended[pid, execname] = count();
}

vm*:::thread-run
{
	@thread_switches[pid, execname] = count();
}

vm*:::raise
{
	this->class = copyinstr(arg0);
	@exceptions[pid, execname, this->class] = count();
}
