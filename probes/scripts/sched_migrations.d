/*
 * sched_migrations.d: which threads move between capabilities
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace sched_migrations --lossless -c 'toy --caps=2 pipeline.toy'
 *       FROM     TO   MIGRATIONS
 *          1      0            6
 *          0      1            7
 *
 *          PID   THREAD LABEL        MIGRATIONS
 *        16872        6 worker 3              1
 *        16872        3 producer 1            4
 *        16872        5 worker 2              4
 *        16872        7 collector             4
 *
 * Reading: How many threads moved from which capability to which, then the 20 threads that
 * moved most. A thread that moves leaves its data in the caches of the processor that it
 * leaves.
 *
 * Providers: vm, HaskellEvent (logs of GHC).
 *
 * Cost: One event for each migration.
 */
#pragma D option quiet

vm$target:::thread-label
{
	label[pid, arg1] = copyinstr(arg2);
}

vm$target:::thread-migrate
{
	@moves[arg0, arg2] = count();
	@threads[pid, arg1, label[pid, arg1] == NULL ? "" : label[pid, arg1]] = count();
}

END
{
	trunc(@threads, 20);
	printf("%6s %6s %12s\n", "FROM", "TO", "MIGRATIONS");
	printa("%6d %6d %@12d\n", @moves);
	printf("\n");
	printf("%8s %8s %-32s %12s\n", "PID", "THREAD", "LABEL", "MIGRATIONS");
	printa("%8d %8d %-32s %@12d\n", @threads);
}
