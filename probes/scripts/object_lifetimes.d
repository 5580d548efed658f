/*
 * object_lifetimes.d: how long objects live, by class
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace object_lifetimes --lossless -c 'toy redefine.toy' us
 *     lifetimes in us
 *
 *     ...
 *                 8192 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 19
 *                16384 |                                         0
 *
 *     ArgumentError:
 *                value  ------------- Distribution ------------- count
 *                 4096 |                                         0
 *                 8192 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 2001
 *                16384 |                                         0
 *
 *     Square:
 *                value  ------------- Distribution ------------- count
 *                 4096 |                                         0
 *                 8192 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 10002
 *                16384 |                                         0
 *
 *     CLASS              FREED        MEAN us     LONGEST us
 *     Shape                  1          11521          11521
 *     Error                 19          11482          11510
 *     ArgumentError       2001          13303          14542
 *     Square             10002          12682          14547
 *
 * Reading: The time from an object's creation until the collector frees it; objects that
 * are still there at the end are not shown, nor are arrays, hashes and strings. Only for
 * VMs that do not move objects: they are recognised by their address. Times are in ns; the
 * argument us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: Two events for each object, and memory for each that is alive: see option
 * dynvarsize.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=64m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

vm$target:::object-create
{
	born[pid, arg5] = timestamp;
}

vm$target:::object-free
/born[pid, arg2]/
{
	this->lived = timestamp - born[pid, arg2];
	@lifetimes[copyinstr(arg0)] = quantize(this->lived / scale);
	@count[copyinstr(arg0)] = count();
	@mean[copyinstr(arg0)] = avg(this->lived);
	@longest[copyinstr(arg0)] = max(this->lived);
	born[pid, arg2] = 0;
}

END
{
	normalize(@mean, scale);
	normalize(@longest, scale);
	printf("lifetimes in %s\n\n", unit);
	printa("%s:%@d\n", @lifetimes);
	printf("%-32s %10s %14s %14s\n", "CLASS", "FREED", strjoin("MEAN ", unit),
	    strjoin("LONGEST ", unit));
	printa("%-32s %@10d %@14d %@14d\n", @count, @mean, @longest);
}
