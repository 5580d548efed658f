/*
 * dump.d: what vmtap dump shows: the guest stack of each thread, and what it waits for
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace dump -p 4711
 *     thread 2: waits for held (thread 1)
 *                   (anonymous) (dump.toy:6)
 *     ...
 *
 * Reading: All guest threads, also those that wait, with the guest's stack, the innermost frame
 * first. The VM stops for a moment to show them. A thread that waits for another thread names it.
 *
 * Providers: vm.
 *
 * Cost: One stop of the VM, and an event with a stack for each thread.
 */
#pragma D option quiet
#pragma D option jstackframes=128

int begun[pid_t];

/* Another tracer's dump may be on its way. */
vm*:::thread-dump
/arg5 == 0/
{
	begun[pid] = 1;
}

vm*:::thread-dump
/begun[pid]/
{
	printf("thread %d: ", arg1);
}

vm*:::thread-dump
/begun[pid] && arg2 == 0/
{
	printf("runs");
}

vm*:::thread-dump
/begun[pid] && arg2 != 0/
{
	printf("waits%s%s", copyinstr(arg3) != "(none)" ? " for " : "",
		copyinstr(arg3) != "(none)" ? copyinstr(arg3) : "");
}

vm*:::thread-dump
/begun[pid] && arg4 != 0/
{
	printf(" (thread %d)", arg4);
}

vm*:::thread-dump
/begun[pid]/
{
	jstack();
	printf("\n");
}

vm*:::thread-dump
/begun[pid] && arg5 + 1 == arg6/
{
	exit(0);
}
