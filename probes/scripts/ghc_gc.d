/*
 * ghc_gc.d: a Haskell program's collections, by generation, and its heap
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace ghc_gc --log spin.eventlog
 *     GENERATION  COLLECTIONS         COPIED  LARGEST COPY  FRAGMENTATION  THREADS
 *              1            3          89200         36120         868352        1
 *              0           68         274352         35680         864256        2
 *
 *     CAPABILITY      ALLOCATED
 *              0       54715688
 *              1       62243440
 *
 *     HEAP      LARGEST         MEAN
 *     live       100576        64192
 *     size      3145728      3145728
 *
 * Reading: For a log of GHC's run-time system (+RTS -l). COPIED is the sum of the bytes
 * that the collections have copied, FRAGMENTATION the most bytes that were lost to it,
 * THREADS the mean number of threads that collected. ALLOCATED is what each capability has
 * allocated since the program began. All sizes are in bytes. gc_pause shows how long the
 * collections took.
 *
 * Providers: HaskellEvent.
 *
 * Cost: Nothing: it reads a log.
 */
#pragma D option quiet

HaskellEvent$target:::gc-stats-ghc
{
	@collections[args[2]] = count();
	@copied[args[2]] = sum(args[3]);
	@largest[args[2]] = max(args[3]);
	@fragmentation[args[2]] = max(args[5]);
	@threads[args[2]] = avg(args[6]);
}

HaskellEvent$target:::heap-allocated
{
	@allocated[args[0]] = max(args[2]);
}

HaskellEvent$target:::heap-size
{
	@most["size"] = max(args[2]);
	@mean["size"] = avg(args[2]);
}

HaskellEvent$target:::heap-live
{
	@most["live"] = max(args[2]);
	@mean["live"] = avg(args[2]);
}

END
{
	printf("%10s %12s %14s %13s %14s %8s\n", "GENERATION", "COLLECTIONS", "COPIED",
	    "LARGEST COPY", "FRAGMENTATION", "THREADS");
	printa("%10d %@12d %@14d %@13d %@14d %@8d\n", @collections, @copied, @largest,
	    @fragmentation, @threads);
	printf("\n");
	printf("%10s %14s\n", "CAPABILITY", "ALLOCATED");
	printa("%10d %@14d\n", @allocated);
	printf("\n");
	printf("%-8s %12s %12s\n", "HEAP", "LARGEST", "MEAN");
	printa("%-8s %@12d %@12d\n", @most, @mean);
}
