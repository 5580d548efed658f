/*
 * method_distribution.d: how long the calls of each method take, as a distribution
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace method_distribution --lossless -c 'toy queens.toy' us
 *     times in us
 *
 *     ...
 *                 1024 |                                         1
 *                 2048 |                                         0
 *
 *     Board#solve:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@@@@@@@@@@@@@                   1549
 *                    1 |@@@@@@@@                                 576
 *                    2 |@@@@@                                    382
 *                    4 |@@                                       163
 *                    8 |@                                        100
 *                   16 |                                         32
 *                   32 |                                         17
 *                   64 |                                         3
 *                  128 |                                         5
 *                  256 |                                         1
 *                  512 |                                         0
 *                 1024 |                                         4
 *                 2048 |                                         1
 *                 4096 |                                         0
 *
 * Reading: The time is from a method's entry to its return and includes what it calls. The
 * methods that take most time altogether come last. Times are in ns; the argument us, ms
 * or s gives another unit.
 *
 * Providers: vm, ruby, python, php, hotspot.
 *
 * Cost: Two events for each call.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

#include "parts/calls.d"
#include "parts/returns.d"
#include "parts/names.d"

*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
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
	@times[this->name] = quantize((timestamp - this->start) / scale);
	start[pid, this->thread, this->level] = 0;
}

*$target:::[mf]*[dn]-return
/this->counts && this->level > 0/
{
	level[pid, this->thread]--;
}

END
{
	printf("times in %s\n\n", unit);
	printa("%s:%@d\n", @times);
}
