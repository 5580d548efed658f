/*
 * alloc_rate.d: the objects and bytes allocated each second, by class
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_rate --lossless -c 'toy redefine.toy'
 *     second 1
 *     CLASS                  BYTES      OBJECTS
 *     Shape                     24            1
 *     StackError                48            1
 *     (array)                  112            2
 *     Thread                   224            1
 *     Error                   1008           21
 *     ArgumentError          96048         2001
 *     Square                320064        10002
 *     (string)           176248690         6242
 *     second 2
 *     CLASS                     BYTES      OBJECTS
 *     LoadError                    48            1
 *     OutOfMemoryError             48            1
 *     (string)               92003234           96
 *
 * Reading: A table for every second, the classes that take the most bytes last; the last
 * table covers the last, incomplete second. Arrays, hashes and strings are shown as
 * (array), (hash) and (string).
 *
 * Providers: vm.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

BEGIN
{
	began = timestamp;
}

vm$target:::object-create
{
	@objects[copyinstr(arg0)] = count();
	@bytes[copyinstr(arg0)] = sum(arg1);
}

vm$target:::array-create
{
	@objects["(array)"] = count();
	@bytes["(array)"] = sum(arg3);
}

vm$target:::hash-create
{
	@objects["(hash)"] = count();
	@bytes["(hash)"] = sum(arg3);
}

vm$target:::string-create
{
	@objects["(string)"] = count();
	@bytes["(string)"] = sum(arg3);
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
