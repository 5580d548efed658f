/*
 * gc_bytes.d: the bytes before and after each collection
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_bytes --lossless -c 'toy redefine.toy'
 *          AT ms GENERATION FULL         BEFORE          FREED          AFTER    TIME us
 *             70          0   no        4660574         659099        4001475        172
 *            133          0   no        9001672              0        9001672          9
 *            196          0   no       14001901              0       14001901         10
 *            266          1  yes       19002194              0       19002194         11
 *            333          0   no       24002359              0       24002359         10
 *     ...
 *           2311          0   no      254011741              0      254011741         26
 *           2352          0   no      259013954              0      259013954         29
 *           2377          0   no      264014119              0      264014119         27
 *           2404          1  yes      268014251              0      268014251         34
 *
 * Reading: A line for each collection: when it began, in ms since the start of the trace,
 * the oldest generation that it collected, whether that was the whole heap, the bytes in
 * use before, those it freed, those still in use, and how long it took. If AFTER grows
 * from line to line of full collections, the program keeps more and more.
 *
 * Providers: vm.
 *
 * Cost: Two events for each collection.
 */
#pragma D option quiet

BEGIN
{
	start = timestamp;
	printf("%10s %10s %4s %14s %14s %14s %10s\n", "AT ms", "GENERATION", "FULL", "BEFORE", "FREED",
	    "AFTER", "TIME us");
}

vm$target:::gc-start
{
	began[pid] = timestamp;
	before[pid] = arg3;
}

vm$target:::gc-end
/began[pid]/
{
	printf("%10d %10d %4s %14d %14d %14d %10d\n", (began[pid] - start) / 1000000, arg1,
	    arg2 ? "yes" : "no", before[pid], arg3, before[pid] - arg3,
	    (timestamp - began[pid]) / 1000);
	began[pid] = 0;
}
