/*
 * snoop.d: what happens in the VM, a line for each event that is not frequent
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace snoop --lossless -c 'toy redefine.toy'
 *          AT ms      PID  CAP  WHAT
 *              0    32668       startup
 *              0    32668    0  thread 1 created
 *              0    32668    0  thread 1 is main
 *              0    32668       thread 1 raises ArgumentError in redefine.toy:21: side -2
 *              0    32668       thread 1 raises ArgumentError in redefine.toy:21: side -1
 *              0    32668       thread 1 raises ArgumentError in redefine.toy:21: side -2
 *              0    32668       thread 1 raises ArgumentError in redefine.toy:21: side -1
 *     ...
 *            674    32668    0  thread 1 has ended
 *            674    32668    0  the world was stopped for 219 us: exit
 *            674    32668       shutdown
 *
 * Reading: Threads come and go, collections and pauses end, files are loaded, exceptions
 * are raised, with their messages, methods are redefined, messages are sent. The time of a
 * collection or a pause is that of its end.
 *
 * Providers: vm.
 *
 * Cost: One event for each of these lines; nothing for calls and allocations.
 */
#pragma D option quiet

BEGIN
{
	start = timestamp;
	printf("%10s %8s %4s  %s\n", "AT ms", "PID", "CAP", "WHAT");
}

vm$target:::startup,
vm$target:::shutdown
{
	printf("%10d %8d %4s  %s\n", (timestamp - start) / 1000000, pid, "", probename);
}

vm$target:::user-msg,
vm$target:::user-marker
{
	printf("%10d %8d %4d  %s: %S\n", (timestamp - start) / 1000000, pid, arg0,
	    probename == "user-msg" ? "message" : "marker", copyinstr(arg1));
}

vm$target:::thread-create,
vm$target:::thread-exit
{
	printf("%10d %8d %4d  thread %d %s\n", (timestamp - start) / 1000000, pid, arg0, arg1,
	    probename == "thread-create" ? "created" : "has ended");
}

vm$target:::thread-label
{
	printf("%10d %8d %4d  thread %d is %S\n", (timestamp - start) / 1000000, pid, arg0, arg1,
	    copyinstr(arg2));
}

vm$target:::gc-start
{
	began[pid] = timestamp;
}

vm$target:::gc-end
/began[pid]/
{
	printf("%10d %8d %4d  collection of generation %d: %d us, %d bytes freed\n",
	    (timestamp - start) / 1000000, pid, arg0, arg1, (timestamp - began[pid]) / 1000, arg3);
	began[pid] = 0;
}

vm$target:::pause-begin
{
	paused[pid] = timestamp;
}

vm$target:::pause-end
/paused[pid]/
{
	printf("%10d %8d %4d  the world was stopped for %d us: %S\n", (timestamp - start) / 1000000,
	    pid, arg0, (timestamp - paused[pid]) / 1000, copyinstr(arg1));
	paused[pid] = 0;
}

vm$target:::require-entry,
vm$target:::load-entry
{
	printf("%10d %8d %4s  %s %S in %S:%d\n", (timestamp - start) / 1000000, pid, "",
	    probename == "load-entry" ? "load" : "require", copyinstr(arg0), copyinstr(arg1), arg2);
}

vm$target:::raise
{
	printf("%10d %8d %4s  thread %d raises %S in %S:%d: %S\n", (timestamp - start) / 1000000, pid,
	    "", arg3, copyinstr(arg0), copyinstr(arg1), arg2, copyinstr(arg4));
}

vm$target:::method-cache-clear
{
	printf("%10d %8d %4s  redefinition of %S in %S:%d\n", (timestamp - start) / 1000000, pid, "",
	    copyinstr(arg0), copyinstr(arg1), arg2);
}
