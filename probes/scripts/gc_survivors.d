/*
 * gc_survivors.d: which classes survive collections, and what becomes of their objects
 *
 * Question: What does the collector do, and how long does the world stop?
 *
 *     $ vmtap trace gc_survivors --lossless -c 'toy redefine.toy'
 *     CLASS                 CREATED  FREED YOUNG  FREED OLDER  STILL THERE
 *     LoadError                   1            0            0            1
 *     OutOfMemoryError            1            0            0            1
 *     StackError                  1            0            0            1
 *     Thread                      1            0            0            1
 *     Shape                       1            1            0            0
 *     Array                       2            1            0            1
 *     Error                      21           19            0            2
 *     ArgumentError            2001         2001            0            0
 *     String                   6338         6045            0          293
 *     Square                  10002        10002            0            0
 *
 *     GENERATION  COLLECTIONS   BYTES SURVIVED
 *              1            5        564033303
 *              0           49        244009435
 *
 * Reading: For each class the objects created, those freed by collections of the youngest
 * generation and by collections of older ones, and those that are still there. A class
 * whose objects are mostly freed older survives long enough to be promoted and then dies:
 * the most expensive kind of garbage. Arrays, hashes and strings are shown as the classes
 * Array, Hash and String. Then, for each generation, the collections and the bytes that
 * survived them.
 *
 * Providers: vm.
 *
 * Cost: Two events for each object.
 */
#pragma D option quiet

vm$target:::object-create
{
	@created[copyinstr(arg0)] = count();
	@alive[copyinstr(arg0)] = sum(1);
}

vm$target:::array-create
{
	@created["Array"] = count();
	@alive["Array"] = sum(1);
}

vm$target:::hash-create
{
	@created["Hash"] = count();
	@alive["Hash"] = sum(1);
}

vm$target:::string-create
{
	@created["String"] = count();
	@alive["String"] = sum(1);
}

vm$target:::gc-start
{
	generation[pid] = arg1;
	@collections[arg1] = count();
}

vm$target:::gc-stats
{
	@copied[arg1] = sum(arg2);
}

vm$target:::object-free
{
	@alive[copyinstr(arg0)] = sum(-1);
}

vm$target:::object-free
/generation[pid] == 0/
{
	@young[copyinstr(arg0)] = count();
}

vm$target:::object-free
/generation[pid] > 0/
{
	@old[copyinstr(arg0)] = count();
}

END
{
	printf("%-32s %12s %12s %12s %12s\n", "CLASS", "CREATED", "FREED YOUNG", "FREED OLDER",
	    "STILL THERE");
	printa("%-32s %@12d %@12d %@12d %@12d\n", @created, @young, @old, @alive);
	printf("\n");
	printf("%10s %12s %16s\n", "GENERATION", "COLLECTIONS", "BYTES SURVIVED");
	printa("%10d %@12d %@16d\n", @collections, @copied);
}
