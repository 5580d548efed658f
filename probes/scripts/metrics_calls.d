/*
 * metrics_calls.d: how much a VM calls, for vmtap serve
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace metrics_calls --lossless -c 'toy richards.toy'
 *
 *      4711  toy              Object                             12
 *      4711  toy              WorkerTask                      18620
 *      4711  toy              IdleTask                        40004
 *     ...
 *      4711  toy              Packet                         952272
 *      4711  toy              Task                          1385264
 *      4711  toy          307888
 *
 * Reading: It is made for vmtap serve, which shows the name of each aggregation; serve it on
 * another port than metrics. In this order, for each process: calls of methods by class;
 * calls of functions written in C.
 *
 * Providers: vm.
 *
 * Cost: One event for each call.
 */
#pragma D option quiet

vm*:::method-entry
{
	this->class = copyinstr(arg0);
	@calls[pid, execname, this->class] = count();
}

vm*:::native-entry
{
	@native_calls[pid, execname] = count();
}
