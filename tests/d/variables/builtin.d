/* The values of the built-in variables in an event of the process. */
#pragma D option quiet

vm$target:::thread-run
{
	printf("%d %d %d %d %s\n", pid, ppid, tid, cpu, execname);
	printf("%s:%s:%s:%s\n", probeprov, probemod, probefunc, probename);
	printf("%d %d %d %d\n", arg0, arg1, arg2, arg9);
	printf("%d\n", timestamp);
	printf("%d\n", walltimestamp);
	printf("%d\n", pid == $target);
}
