/*
 * spark_use.d: how many sparks each capability runs, and where they come from
 *
 * Question: Does the program use its capabilities?
 *
 *     $ vmtap trace spark_use --lossless -c 'toy --caps=2 parmap.toy'
 *     CAPABILITY     SPARKS        OWN     STOLEN  SPARK THREADS
 *              0         42         42          0             31
 *              1         59          0         59              1
 *
 *          THIEF     VICTIM     STOLEN
 *              1          0         59
 *
 * Reading: For each capability the sparks that it ran: those from its own pool and those
 * it has stolen, and the threads that were created to run them. Then which capability
 * stole from which. If one capability creates all sparks, the others have to steal theirs.
 *
 * Providers: vm.
 *
 * Cost: One event for each spark.
 */
#pragma D option quiet

vm$target:::spark-run
{
	@own[arg0] = count();
	@all[arg0] = count();
}

vm$target:::spark-steal
{
	@all[arg0] = count();
	@stolen[arg0] = count();
	@thefts[arg0, arg2] = count();
}

vm$target:::spark-thread-create
{
	@threads[arg0] = count();
}

END
{
	printf("%10s %10s %10s %10s %14s\n", "CAPABILITY", "SPARKS", "OWN", "STOLEN", "SPARK THREADS");
	printa("%10d %@10d %@10d %@10d %@14d\n", @all, @own, @stolen, @threads);
	printf("\n");
	printf("%10s %10s %10s\n", "THIEF", "VICTIM", "STOLEN");
	printa("%10d %10d %@10d\n", @thefts);
}
