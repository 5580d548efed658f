/*
 * syscalls_by_method.d: the system calls that each method makes, and the time they take
 *
 * Question: What does the program ask the kernel for?
 *
 *     $ vmtap trace syscalls_by_method -c 'python3 -m json.tool package.json' us
 *     CLASS                                  METHOD                    CALL         CALLS  TIME us
 *     -                                      -                         exit_group       1        0
 *     ...
 *     <frozen importlib._bootstrap_external> get_data                  close           39       81
 *     <frozen importlib._bootstrap_external> get_data                  openat           39      229
 *     <frozen importlib._bootstrap>          _call_with_frames_removed rt_sigaction     63       16
 *     <frozen importlib._bootstrap_external> get_data                  newfstatat       78       48
 *     <frozen importlib._bootstrap_external> get_data                  read             78    96185
 *     <frozen importlib._bootstrap_external> _path_stat                newfstatat      245      655
 *
 * Reading: A call counts for the method that runs when it is made: the innermost one that
 * is not written in C. The times are those from the call to its return, and include
 * waiting; the argument us, ms or s gives another unit than ns. A call that has not
 * returned, or never does, has no time. The VM's own calls, and those of code that is in
 * no method, have the name -.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call of a method and two for each system call, which come from
 * the kernel and need its privilege.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/running.d"

syscall:::entry
/pid == $target/
{
	self->called = timestamp;
	@calls[self->class != NULL ? self->class : "-", self->method != NULL ? self->method : "-",
	    probefunc] = count();
}

syscall:::return
/pid == $target && self->called/
{
	@time[self->class != NULL ? self->class : "-", self->method != NULL ? self->method : "-",
	    probefunc] = sum(timestamp - self->called);
	self->called = 0;
}

END
{
	normalize(@time, scale);
	printf("%-24s %-24s %-18s %10s %14s\n", "CLASS", "METHOD", "CALL", "CALLS",
	    strjoin("TIME ", unit));
	printa("%-24s %-24s %-18s %@10d %@14d\n", @calls, @time);
}
