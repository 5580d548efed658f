/*
 * sched_migrations.d: which threads move between capabilities
 *
 * Question: Why does a thread not run?
 *
 *     $ vmtap trace sched_migrations --lossless -c 'toy --caps=2 pipeline.toy'
 *       FROM     TO   MIGRATIONS
 *          1      0            8
 *          0      1           13
 *
 *          PID   THREAD LABEL        MIGRATIONS
 *        30932        1 main                  1
 *        30932        5 worker 2              1
 *        30932        2 producer 0            3
 *        30932        3 producer 1            5
 *        30932        4 worker 1              5
 *        30932        7 collector             6
 *
 * Reading: How many threads moved from which capability to which, then the 20 threads that
 * moved most. A thread that moves leaves its data in the caches of the processor that it
 * leaves. A log of GHC has what it needs too.
 *
 * Providers: vm.
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
