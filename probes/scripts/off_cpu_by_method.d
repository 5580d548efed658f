/*
 * off_cpu_by_method.d: for how long each method's threads were on no processor, and why
 *
 * Question: What does the program ask the kernel for?
 *
 *     $ vmtap trace off_cpu_by_method --lossless -c 'toy --caps=2 parmap.toy' us
 *     CLASS      METHOD STATE     OFF CPU us     LONGEST us    TIMES
 *     List.class map    ready             22             22        1
 *     -          -      ready           2571           2099        4
 *     -          -      waits         266391          24748      210
 *     Object     steps  ready         379945          37109      137
 *
 * Reading: A thread that waits has asked the kernel for something that was not there yet:
 * data, a lock, time. One that is ready could run, but others have the processor. The
 * method is the innermost one that is not written in C; time off the processor outside of
 * methods, as that of the VM's own threads, has the name -. A time counts when it has
 * ended. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call of a method and two for each time that a thread leaves the
 * processor, which come from the kernel and need its privilege.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/running.d"

sched:::off-cpu
/pid == $target/
{
	self->off = timestamp;
	self->ready = curlwpsinfo->pr_state == SRUN;
}

sched:::on-cpu
/pid == $target && self->off/
{
	this->class = self->class != NULL ? self->class : "-";
	this->method = self->method != NULL ? self->method : "-";
	this->why = self->ready ? "ready" : "waits";
	@times[this->class, this->method, this->why] = count();
	@longest[this->class, this->method, this->why] = max(timestamp - self->off);
	@time[this->class, this->method, this->why] = sum(timestamp - self->off);
	self->off = 0;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	printf("%-24s %-24s %-6s %14s %14s %8s\n", "CLASS", "METHOD", "STATE",
	    strjoin("OFF CPU ", unit), strjoin("LONGEST ", unit), "TIMES");
	printa("%-24s %-24s %-6s %@14d %@14d %@8d\n", @time, @longest, @times);
}
