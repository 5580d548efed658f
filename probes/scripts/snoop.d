/*
 * snoop.d: what happens in the VM, a line for each event that is not frequent
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace snoop --lossless -c 'toy redefine.toy'
 *          AT ms      PID  CAP  WHAT
 *              0    21638       startup
 *              1    21638    0  thread 1 created
 *              1    21638    0  thread 1 is main
 *              1    21638       thread 1 raises ArgumentError in redefine.toy:21: side -2
 *              1    21638       thread 1 raises ArgumentError in redefine.toy:21: side -1
 *              1    21638       thread 1 raises ArgumentError in redefine.toy:21: side -2
 *              1    21638       thread 1 raises ArgumentError in redefine.toy:21: side -1
 *     ...
 *            973    21638    0  thread 1 has ended
 *            973    21638    0  the world was stopped for 207 us: exit
 *            973    21638       shutdown
 *
 * Reading: Threads come and go, collections and pauses end, files are loaded, exceptions
 * are raised, with their messages, methods are redefined, messages are sent. The time of a
 * collection or a pause is that of its end.
 *
 * Providers: vm, ruby, python, php, hotspot, HaskellEvent.
 *
 * Cost: One or two events for each of these lines; nothing for calls and allocations.
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

/* What the providers of other runtimes tell, in a process without provider vm. */
#include "parts/pauses.d"
#include "parts/raises.d"

int has_vm[pid_t];

vm$target:::pause-begin,
vm$target:::raise,
vm$target:::require-entry,
vm$target:::load-entry
/!has_vm[pid]/
{
	has_vm[pid] = 1;
}

ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
/this->counts && !has_vm[pid]/
{
	printf("%10d %8d %4s  the world was stopped for %d us: %S\n",
	    (timestamp - start) / 1000000, pid, "", this->pause / 1000, this->what);
}

ruby$target:::raise
/!has_vm[pid]/
{
	printf("%10d %8d %4s  thread %d raises %S in %S:%d\n", (timestamp - start) / 1000000, pid, "",
	    tid, this->class, this->file, this->line);
}

php$target:::exception-thrown
{
	printf("%10d %8d %4s  thread %d raises %S\n", (timestamp - start) / 1000000, pid, "", tid,
	    this->class);
}

php$target:::error
{
	printf("%10d %8d %4s  error in %S:%d: %S\n", (timestamp - start) / 1000000, pid, "",
	    copyinstr(arg1), (int)arg2, copyinstr(arg0));
}

ruby$target:::require-entry,
ruby$target:::load-entry
/!has_vm[pid]/
{
	printf("%10d %8d %4s  %s %S in %S:%d\n", (timestamp - start) / 1000000, pid, "",
	    probename == "load-entry" ? "load" : "require", copyinstr(arg0), copyinstr(arg1),
	    (int)arg2);
}

python$target:::import-find-load-start
{
	printf("%10d %8d %4s  import %S\n", (timestamp - start) / 1000000, pid, "", copyinstr(arg0));
}

php$target:::compile-file-return
/copyinstr(arg1) != ""/
{
	printf("%10d %8d %4s  load %S\n", (timestamp - start) / 1000000, pid, "", copyinstr(arg1));
}

hotspot$target:::thread-start,
hotspot$target:::thread-stop
{
	printf("%10d %8d %4s  thread %d %s: %S\n", (timestamp - start) / 1000000, pid, "", arg2,
	    probename == "thread-start" ? "begins" : "has ended", stringof(copyin(arg0, arg1)));
}
