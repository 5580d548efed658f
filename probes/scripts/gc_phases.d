/*
 * gc_phases.d: how long the phases of collections take
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_phases --lossless -c 'toy redefine.toy' us
 *     times in us
 *
 *     release (concurrent):
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@  53
 *                    1 |                                         0
 *                    2 |@                                        1
 *                    4 |                                         0
 *
 *     sweep:
 *                value  ------------- Distribution ------------- count
 *                   -1 |                                         0
 *                    0 |@@@                                      4
 *     ...
 *     PHASE                     COUNT     LONGEST us       TOTAL us  SHARE
 *     release (concurrent)         54              2             13     0%
 *     mark                         54             28            820     0%
 *     sweep                        54            128            226     0%
 *     whole                        54            139           1082     0%
 *
 * Reading: The phases of a collection, by the names that the VM gives them, and the whole
 * of it: a distribution, the number, the longest, the sum, and its share of the time that
 * was traced. Guest code runs during concurrent phases. What the provider does not tell is
 * left out: Ruby has no whole collection, GHC, Python and HotSpot have no phases. Times
 * are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, hotspot, HaskellEvent.
 *
 * Cost: Six events for each collection, and two for each phase or step.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];
string opener[pid_t, uint16_t, string];

BEGIN
{
	start = timestamp;
}

/*
 * ruby has only the phases, HaskellEvent, python and hotspot only whole collections. A process may
 * have the probes of several providers: vm counts then, else those that fire first.
 */
vm$target:::gc-start,
vm$target:::gc-mark-begin,
vm$target:::gc-sweep-begin,
vm$target:::gc-phase-begin
{
	origin[pid] = probeprov;
	this->cap = (uint16_t)arg0;
}

ruby$target:::gc-mark-begin,
ruby$target:::gc-sweep-begin,
python$target:::gc-start,
hotspot$target:::gc-begin,
HaskellEvent$target:::gc-start
{
	origin[pid] = origin[pid] == NULL ? probeprov : origin[pid];
	this->cap = 0;
}

vm$target:::gc-start,
vm$target:::gc-end,
python$target:::gc-start,
python$target:::gc-done,
hotspot$target:::gc-begin,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-start,
HaskellEvent$target:::gc-end
{
	this->phase = "whole";
	this->kind = "gc";
}

vm$target:::gc-mark-begin,
vm$target:::gc-mark-end,
ruby$target:::gc-mark-begin,
ruby$target:::gc-mark-end
{
	this->phase = "mark";
	this->kind = "gc-mark";
}

vm$target:::gc-sweep-begin,
vm$target:::gc-sweep-end,
ruby$target:::gc-sweep-begin,
ruby$target:::gc-sweep-end
{
	this->phase = "sweep";
	this->kind = "gc-sweep";
}

vm$target:::gc-phase-begin,
vm$target:::gc-phase-end
{
	this->phase = arg2 ? strjoin(copyinstr(arg1), " (concurrent)") : copyinstr(arg1);
	this->kind = "gc-phase";
}

/* A collector may fire two probes for one phase, one within the other: the first counts. */
vm$target:::gc-start,
vm$target:::gc-mark-begin,
vm$target:::gc-sweep-begin,
vm$target:::gc-phase-begin,
ruby$target:::gc-mark-begin,
ruby$target:::gc-sweep-begin,
python$target:::gc-start,
hotspot$target:::gc-begin,
HaskellEvent$target:::gc-start
/origin[pid] == probeprov && (!began[pid, this->cap, this->phase] ||
    opener[pid, this->cap, this->phase] == this->kind)/
{
	began[pid, this->cap, this->phase] = timestamp;
	opener[pid, this->cap, this->phase] = this->kind;
}

vm$target:::gc-end,
vm$target:::gc-mark-end,
vm$target:::gc-sweep-end,
vm$target:::gc-phase-end
{
	this->cap = (uint16_t)arg0;
}

ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
{
	this->cap = 0;
}

vm$target:::gc-end,
vm$target:::gc-mark-end,
vm$target:::gc-sweep-end,
vm$target:::gc-phase-end,
ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
/origin[pid] == probeprov && began[pid, this->cap, this->phase] &&
    opener[pid, this->cap, this->phase] == this->kind/
{
	this->elapsed = timestamp - began[pid, this->cap, this->phase];
	@times[this->phase] = quantize(this->elapsed / scale);
	@count[this->phase] = count();
	@longest[this->phase] = max(this->elapsed);
	@total[this->phase] = sum(this->elapsed);
	@share[this->phase] = sum(100 * this->elapsed);
	began[pid, this->cap, this->phase] = 0;
}

END
{
	this->traced = timestamp - start;
	normalize(@longest, scale);
	normalize(@total, scale);
	normalize(@share, this->traced ? this->traced : 1);
	printf("times in %s\n\n", unit);
	printa("%s:%@d\n", @times);
	printf("%-24s %10s %14s %14s %6s\n", "PHASE", "COUNT", strjoin("LONGEST ", unit),
	    strjoin("TOTAL ", unit), "SHARE");
	printa("%-24s %@10d %@14d %@14d %@5d%%\n", @count, @longest, @total, @share);
}
