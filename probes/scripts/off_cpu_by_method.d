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
 * ended. Times are in ns; the argument us, ms or s gives another unit. In Python the file
 * is shown instead of the class.
 *
 * Cost: Two events for each call of a method and two for each time that a thread leaves the
 * processor, which come from the kernel and need its privilege. Python 3.11 is slowed down
 * by every line, too.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option zdefs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
vm$target:::method-entry,
ruby$target:::method-entry,
python$target:::function-entry
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

vm$target:::method-entry,
ruby$target:::method-entry,
python$target:::function-entry
/probeprov == origin[pid]/
{
	this->thread = arg4 ? arg4 : tid;
	this->level = ++level[pid, this->thread];
	self->class = probename == "method-entry" ? copyinstr(arg0) : basename(copyinstr(arg0));
	self->method = copyinstr(arg1);
	class[pid, this->thread, this->level] = self->class;
	method[pid, this->thread, this->level] = self->method;
}

/* Python 3.11 has entries only while somebody asks for lines. */
python$target:::line
/0/
{
}

vm$target:::method-return,
ruby$target:::method-return,
python$target:::function-return
/probeprov == origin[pid] && level[pid, arg4 ? arg4 : tid]/
{
	this->thread = arg4 ? arg4 : tid;
	class[pid, this->thread, level[pid, this->thread]] = 0;
	method[pid, this->thread, level[pid, this->thread]] = 0;
	this->level = --level[pid, this->thread];
	self->class = class[pid, this->thread, this->level];
	self->method = method[pid, this->thread, this->level];
}

/* Green threads share OS threads. */
vm$target:::thread-run
{
	self->class = class[pid, arg1, level[pid, arg1]];
	self->method = method[pid, arg1, level[pid, arg1]];
}

vm$target:::thread-stop
{
	self->class = 0;
	self->method = 0;
}

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
