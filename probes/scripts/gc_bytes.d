/*
 * gc_bytes.d: the bytes before and after each collection
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_bytes --lossless -c 'toy redefine.toy'
 *          AT ms GENERATION FULL         BEFORE          FREED          AFTER    TIME us
 *             15          0   no        4660614         659099        4001515        134
 *             27          0   no        9001712              0        9001712          5
 *             38          0   no       14001941              0       14001941          5
 *             50          1  yes       19002234              0       19002234          6
 *             62          0   no       24002399              0       24002399          4
 *     ...
 *            600          0   no      254011781              0      254011781         13
 *            611          0   no      259013994              0      259013994         11
 *            623          0   no      264014159              0      264014159         14
 *            633          1  yes      268014291              0      268014291         16
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
