/*
 * slowest_calls.d: the slowest calls, with the line that made them and the method it is in
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace slowest_calls --lossless -c 'toy redefine.toy' us
 *     CLASS  METHOD  CALLED IN      LINE BY                 LONGEST us
 *     Square init    redefine.toy     95 (start)                     0
 *     Shape  name    redefine.toy      9 Shape#area                  0
 *     Square init    redefine.toy     55 (start)                     0
 *     ...
 *     Square area    redefine.toy     44 Object#total                5
 *     Object dive    redefine.toy     66 Object#dive                49
 *     Object dive    redefine.toy     73 (start)                    49
 *     Object total   redefine.toy     54 (start)                  1953
 *     Object endless redefine.toy     99 Object#endless           5339
 *     Object endless redefine.toy    102 (start)                  5339
 *
 * Reading: The 20 sites whose longest call took longest: the method, the file and line of
 * the call (for Ruby and PHP, those of the method), and the method that called it, which
 * is (start) if that began before the trace. The time includes what the method calls.
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

uint64_t calls;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/names.d"
#include "parts/python_lines.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
	file[pid, this->thread, this->level] = this->file;
	line[pid, this->thread, this->level] = this->line;
	name[pid, this->thread, this->level] = this->name;
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
	this->caller = this->level > 1 ? name[pid, this->thread, this->level - 1] : "(start)";
	@longest[this->class, this->method, this->file, this->line, this->caller] =
	    max(timestamp - this->start);
	start[pid, this->thread, this->level] = 0;
	file[pid, this->thread, this->level] = 0;
	line[pid, this->thread, this->level] = 0;
	name[pid, this->thread, this->level] = 0;
	calls++;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	level[pid, this->thread]--;
}

/* Keeps the table short however many sites there are. */
*$target:::[mf]*[dn]-return
/calls > 100000/
{
	trunc(@longest, 20);
	calls = 0;
}

END
{
	trunc(@longest, 20);
	normalize(@longest, scale);
	printf("%-20s %-20s %-24s %6s %-32s %14s\n", "CLASS", "METHOD", "CALLED IN", "LINE", "BY",
	    strjoin("LONGEST ", unit));
	printa("%-20s %-20s %-24s %6d %-32s %@14d\n", @longest);
}
