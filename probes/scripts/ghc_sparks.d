/*
 * ghc_sparks.d: what became of a Haskell program's sparks, by capability
 *
 * Question: Does the program use its capabilities?
 *
 *     $ vmtap trace ghc_sparks --log spin.eventlog
 *     CAPABILITY    CREATED      DUD OVERFLOWED  CONVERTED        GCD    FIZZLED
 *              0       2740        0          0         20       2222        521
 *              1       3111        0          0          3       2690        395
 *
 *     THIEF VICTIM   STOLEN
 *         1      0        3
 *         0      1       18
 *
 * Reading: For a log of GHC's run-time system (+RTS -l). A spark is a dud if it was
 * evaluated when it was created, and has fizzled if another thread has evaluated it before
 * it was run; CONVERTED sparks were run in parallel, OVERFLOWED ones found no room, and
 * the collector has dropped the others (GCD). Which capability stole from which is there
 * if the log has every spark (+RTS -lf or -la).
 *
 * Providers: HaskellEvent.
 *
 * Cost: Nothing: it reads a log.
 */
#pragma D option quiet

HaskellEvent$target:::spark-counters
{
	@created[args[0]] = max(args[1]);
	@dud[args[0]] = max(args[2]);
	@overflowed[args[0]] = max(args[3]);
	@converted[args[0]] = max(args[4]);
	@gcd[args[0]] = max(args[5]);
	@fizzled[args[0]] = max(args[6]);
}

HaskellEvent$target:::steal-spark
{
	@stolen[args[0], args[2]] = count();
}

END
{
	printf("%10s %10s %8s %10s %10s %10s %10s\n", "CAPABILITY", "CREATED", "DUD", "OVERFLOWED",
	    "CONVERTED", "GCD", "FIZZLED");
	printa("%10d %@10d %@8d %@10d %@10d %@10d %@10d\n", @created, @dud, @overflowed, @converted,
	    @gcd, @fizzled);
	printf("\n");
	printf("%5s %6s %8s\n", "THIEF", "VICTIM", "STOLEN");
	printa("%5d %6d %@8d\n", @stolen);
}
