/*
 * off_cpu_by_stack.d: where in the kernel threads wait, and for how long
 *
 * Question: What does the whole machine do?
 *
 *     $ vmtap trace off_cpu_by_stack --seconds 10 us
 *            TIME us      TIMES PROGRAM
 *     ...
 *             395296          4 make
 *     vmlinux`__schedule+0x4bf
 *     vmlinux`schedule+0x23
 *     vmlinux`do_wait+0x53
 *     vmlinux`kernel_wait4+0x9c
 *     vmlinux`do_syscall_64+0x71
 *     vmlinux`entry_SYSCALL_64_after_hwframe+0x76
 *
 * Reading: The time between leaving a processor and coming back to one, by program and by
 * the kernel's functions that led to it; the innermost one is at the top. A stack without
 * schedule under do_syscall_64 is that of a thread that was preempted: it did not wait, but
 * others had the processor. Times are in ns; the argument us, ms or s gives another unit.
 * The stacks of the longest time come last. With -p or -c, those of that process.
 *
 * Providers: sched.
 *
 * Cost: An event with a stack, about a microsecond, for each time that a thread comes back
 * to a processor. It needs the kernel's privilege.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

sched:::off-cpu
/tid && ($target == 0 || pid == $target)/
{
	self->off = timestamp;
}

sched:::on-cpu
/self->off/
{
	@times[execname, stack()] = count();
	@time[execname, stack()] = sum(timestamp - self->off);
	self->off = 0;
}

END
{
	normalize(@time, scale);
	printf("%14s %10s %s\n", strjoin("TIME ", unit), "TIMES", "PROGRAM");
	printa("%@14d %@10d %s%k\n", @time, @times);
}
