/*
 * gc_phases.d: how long collections mark and sweep
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_phases --lossless -c 'toy redefine.toy' us
 *     times in us
 *
 *     sweep:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@       46
 *                    1 |@@@                                      4
 *                    2 |@@                                       3
 *                    4 |                                         0
 *                    8 |                                         0
 *                   16 |                                         0
 *                   32 |                                         0
 *                   64 |                                         0
 *                  128 |@                                        1
 *     ...
 *
 *     PHASE      COUNT     LONGEST us       TOTAL us  SHARE
 *     mark          54             35           1067     0%
 *     sweep         54            147            180     0%
 *     whole         54            163           1351     0%
 *
 * Reading: The phases of a collection and the whole of it: a distribution, the number, the
 * longest, the sum, and its share of the time that was traced. Phases whose probes the VM
 * does not have are left out: Ruby has no whole collection, GHC no phases. Times are in
 * ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, HaskellEvent.
 *
 * Cost: Six events for each collection.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

BEGIN
{
	start = timestamp;
}

/*
 * ruby has only the phases, HaskellEvent only whole collections. A VM may have the probes of several
 * providers; those that fire first are used.
 */
*$target:::gc-[ms]*
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::gc-[ms]*
/probeprov == origin[pid] && probename == "gc-start"/
{
	began[pid, "whole"] = timestamp;
}

*$target:::gc-[ms]*
/probeprov == origin[pid] && probename == "gc-mark-begin"/
{
	began[pid, "mark"] = timestamp;
}

*$target:::gc-[ms]*
/probeprov == origin[pid] && probename == "gc-sweep-begin"/
{
	began[pid, "sweep"] = timestamp;
}

*$target:::gc-*end
/probeprov == origin[pid]/
{
	this->phase = probename == "gc-end" ? "whole" : probename == "gc-mark-end" ? "mark" :
	    probename == "gc-sweep-end" ? "sweep" : "";
}

*$target:::gc-*end
/probeprov == origin[pid] && this->phase != "" && began[pid, this->phase]/
{
	this->elapsed = timestamp - began[pid, this->phase];
	@times[this->phase] = quantize(this->elapsed / scale);
	@count[this->phase] = count();
	@longest[this->phase] = max(this->elapsed);
	@total[this->phase] = sum(this->elapsed);
	@share[this->phase] = sum(100 * this->elapsed);
	began[pid, this->phase] = 0;
}

END
{
	this->traced = timestamp - start;
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, this->traced ? this->traced : 1);
	printf("times in %s\n\n", unit);
	printa("%s:%@d\n", @times);
	printf("%-8s %10s %14s %14s %6s\n", "PHASE", "COUNT", strjoin("LONGEST ", unit),
	    strjoin("TOTAL ", unit), "SHARE");
	printa("%-8s %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
