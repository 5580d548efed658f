/*
 * call_sites.d: which lines call which methods, how often, and for how long
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace call_sites --lossless -c 'toy redefine.toy' us
 *     FILE           LINE CLASS  METHOD       CALLS        TIME us     LONGEST us
 *     redefine.toy     55 Square init             1              0              0
 *     redefine.toy     95 Square init             1              0              0
 *     redefine.toy     95 Square area             1              0              0
 *     ...
 *     redefine.toy     66 Object dive          2000           9075             13
 *     redefine.toy     85 Square init          3000             65              5
 *     redefine.toy     85 Square scale         3000             72              0
 *     redefine.toy     44 Square init          7000            138              0
 *     redefine.toy     44 Square area          7000            685              7
 *     redefine.toy     99 Object endless      19998       55146956           5021
 *
 * Reading: FILE and LINE are those of the call; for Ruby and PHP, those of the method that
 * is called. Its time includes what the method calls. The sites that call most come last.
 * Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call; Python, also one for each line.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;


#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/python_lines.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
	file[pid, this->thread, this->level] = this->file;
	line[pid, this->thread, this->level] = this->line;
}

*$target:::[mf]*[dn]-return
/this->counts/
{
	this->level = level[pid, this->thread];
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
	this->file = this->start ? file[pid, this->thread, this->level] : "";
	this->line = this->start ? line[pid, this->thread, this->level] : 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->start/
{
	@calls[this->file, this->line, this->class, this->method] = count();
	@time[this->file, this->line, this->class, this->method] =
	    sum(timestamp - this->start);
	@longest[this->file, this->line, this->class, this->method] =
	    max(timestamp - this->start);
	start[pid, this->thread, this->level] = 0;
	file[pid, this->thread, this->level] = 0;
	line[pid, this->thread, this->level] = 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
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
