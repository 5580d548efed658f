/*
 * call_sites.d: which lines call which methods, how often, and for how long
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace call_sites --lossless -c 'toy redefine.toy' us
 *     FILE           LINE CLASS  METHOD       CALLS        TIME us     LONGEST us
 *     redefine.toy     95 Square init             1              0              0
 *     redefine.toy     36 Square name             1              0              0
 *     redefine.toy     55 Square init             1              0              0
 *     ...
 *     redefine.toy     66 Object dive          2000         223854           7279
 *     redefine.toy     85 Square init          3000             86              2
 *     redefine.toy     85 Square scale         3000            215            117
 *     redefine.toy     44 Square init          7000            344              0
 *     redefine.toy     44 Square area          7000           1090              8
 *     redefine.toy     99 Object endless      19998      147961098          18084
 *
 * Reading: FILE and LINE are those of the call. Its time includes what the method calls.
 * The sites that call most come last. Times are in ns; the argument us, ms or s gives
 * another unit. It works on any provider with these probes, such as that of Ruby.
 *
 * Cost: Two events for each call.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
*$target:::method-entry
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::method-entry
/probeprov == origin[pid]/
{
	this->thread = arg4 ? arg4 : tid;
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
}

*$target:::method-return
/probeprov == origin[pid]/
{
	this->thread = arg4 ? arg4 : tid;
	this->level = level[pid, this->thread];
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
}

*$target:::method-return
/probeprov == origin[pid] && this->start/
{
	@calls[copyinstr(arg2), arg3, copyinstr(arg0), copyinstr(arg1)] = count();
	@time[copyinstr(arg2), arg3, copyinstr(arg0), copyinstr(arg1)] =
	    sum(timestamp - this->start);
	@longest[copyinstr(arg2), arg3, copyinstr(arg0), copyinstr(arg1)] =
	    max(timestamp - this->start);
	start[pid, this->thread, this->level] = 0;
}

*$target:::method-return
/probeprov == origin[pid] && this->level > 0/
{
	level[pid, this->thread]--;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	printf("%-24s %6s %-20s %-20s %10s %14s %14s\n", "FILE", "LINE", "CLASS", "METHOD", "CALLS",
	    strjoin("TIME ", unit), strjoin("LONGEST ", unit));
	printa("%-24s %6d %-20s %-20s %@10d %@14d %@14d\n", @calls, @time, @longest);
}
