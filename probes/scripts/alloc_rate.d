/*
 * alloc_rate.d: the objects and bytes allocated each second, by class
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_rate --lossless -c 'toy redefine.toy'
 *     second 1
 *     CLASS                     BYTES      OBJECTS
 *     Shape                        24            1
 *     LoadError                    48            1
 *     OutOfMemoryError             48            1
 *     StackError                   48            1
 *     (array)                     112            2
 *     Thread                      264            1
 *     Error                      1008           21
 *     ArgumentError             96048         2001
 *     Square                   320064        10002
 *     (string)              268251924         6338
 *
 * Reading: A table for every second, the classes that take the most bytes last; the last
 * table covers the last, incomplete second. Arrays, hashes and strings are shown as
 * (array), (hash) and (string). Ruby does not tell sizes, so they are 0.
 *
 * Providers: vm, ruby, hotspot.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

BEGIN
{
	began = timestamp;
}

#include "parts/allocs.d"

*$target:::[aohs]*[ytgh]-[ca]*
/this->counts/
{
	@objects[this->class] = count();
	@bytes[this->class] = sum(this->bytes);
}

tick-1s,
END
{
	printf("second %d\n", (timestamp - began + 500000000) / 1000000000);
	printf("%-32s %14s %12s\n", "CLASS", "BYTES", "OBJECTS");
	printa("%-32s %@14d %@12d\n", @bytes, @objects);
	trunc(@objects);
	trunc(@bytes);
}
