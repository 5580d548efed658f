/*
 * syscall_time.d: how long system calls take, by program
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace syscall_time --seconds 10 us
 *     PROGRAM         CALL                      TIME us      CALLS      MEAN us     LONGEST us
 *     ...
 *     ld              munmap                      31258         12         2604          30805
 *     make            clone3                      38286          3        12762          28999
 *     gcc             vfork                       49095          9         5455          16182
 *     collect2        vfork                       59058          3        19686          31408
 *     collect2        wait4                      333207          3       111069         133262
 *     make            wait4                      404868          9        44985         354462
 *     gcc             wait4                     1027888          9       114209         188558
 *
 * Reading: The time from the entry of a call to its return, in sum, on average and at most.
 * It includes waiting: calls such as futex, poll and read of a pipe take as long as nothing
 * comes. Times are in ns; the argument us, ms or s gives another unit. A call that does not
 * return while it is traced is left out. The most expensive calls come last. With -p or -c,
 * the calls of that process.
 *
 * Providers: syscall.
 *
 * Cost: About 400 ns for each system call of the machine. Nothing is delivered before the
 * end. It needs the kernel's privilege.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

syscall:::entry
/$target == 0 || pid == $target/
{
	self->called = timestamp;
}

syscall:::return
/self->called/
{
	@calls[execname, probefunc] = count();
	@mean[execname, probefunc] = avg(timestamp - self->called);
	@longest[execname, probefunc] = max(timestamp - self->called);
	@time[execname, probefunc] = sum(timestamp - self->called);
	self->called = 0;
}

END
{
	normalize(@time, scale);
	normalize(@mean, scale);
	normalize(@longest, scale);
	printf("%-20s %-20s %14s %10s %12s %14s\n", "PROGRAM", "CALL", strjoin("TIME ", unit),
	    "CALLS", strjoin("MEAN ", unit), strjoin("LONGEST ", unit));
	printa("%-20s %-20s %@14d %@10d %@12d %@14d\n", @time, @calls, @mean, @longest);
}
