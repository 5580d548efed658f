/*
 * method_flow.d: calls and returns as they happen, indented, with times
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_flow --lossless -c 'toy redefine.toy' us
 *       THREAD        AT us  CALL, AND TIME IN us
 *            1            0  -> Object#total redefine.toy:54
 *            1            3    -> Square#init redefine.toy:44
 *            1            4    <- Square#init 0
 *            1            4    -> Square#area redefine.toy:44
 *            1            9    <- Square#area 5
 *            1           10    -> Square#init redefine.toy:44
 *            1           10    <- Square#init 0
 *            1           10    -> Square#area redefine.toy:44
 *     ...
 *            1        12448      <- Object#endless 7029
 *            1        12448    <- Object#endless 7029
 *            1        12448  <- Object#endless 7029
 *
 * Reading: Each call has two lines, one where it begins, with the file and line of the
 * call (for Ruby, Python and PHP, those of the method), and one where it ends, with the
 * time that it took. The second column is the time since the first call. Threads that run
 * at the same time take turns; the first column tells them apart. Times are in ns; the
 * argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events and two lines for each call: for short programs, or with vmtap record
 * and --log.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t began;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/names.d"

BEGIN
{
	printf("%8s %12s  %s\n", "THREAD", strjoin("AT ", unit), strjoin("CALL, AND TIME IN ", unit));
}

*$target:::[mf]*[dn]-entry
/this->counts/
{
	began = began ? began : timestamp;
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
	printf("%8d %12d  %*s-> %s %s:%d\n", this->thread, (timestamp - began) / scale,
	    2 * (this->level - 1), "", this->name, this->file, this->line);
}

*$target:::[mf]*[dn]-return
/this->counts/
{
	this->level = level[pid, this->thread];
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->start/
{
	printf("%8d %12d  %*s<- %s %d\n", this->thread, (timestamp - began) / scale,
	    2 * (this->level - 1), "", this->name, (timestamp - this->start) / scale);
	start[pid, this->thread, this->level] = 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	level[pid, this->thread]--;
}
