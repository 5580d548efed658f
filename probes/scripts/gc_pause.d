/*
 * gc_pause.d: how long the world stops, by reason and generation collected
 *
 *     $ vmtap trace gc_pause --lossless -c 'toy binary_trees.toy'
 *     exit, generation -1: ns
 *                value  ------------- Distribution ------------- count
 *                  256 |                                         0
 *                  512 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@ 1
 *                 1024 |                                         0
 *
 *     gc, generation 1: ns
 *                value  ------------- Distribution ------------- count
 *     ...
 *               262144 |                                         0
 *               524288 |@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@@     8
 *              1048576 |@@@@                                     1
 *              2097152 |                                         0
 *
 *     REASON           GENERATION     PAUSES     LONGEST ns       TOTAL ns
 *     exit                     -1          1            901            901
 *     gc                        1          1        1597510        1597510
 *     gc                        0          9        1095360        6711468
 *
 * First a distribution of the pauses in ns for each reason. The generation is the oldest
 * one collected, or -1 for a pause without a collection. Then the number of pauses, the
 * longest pause, and the sum of all.
 */
#pragma D option quiet

vm$target:::pause-begin
{
	began = timestamp;
	generation = -1;
}

vm$target:::gc-start
/began/
{
	generation = (int)arg1;
}

vm$target:::pause-end
/began/
{
	this->pause = timestamp - began;
	@pauses[copyinstr(arg1), generation] = quantize(this->pause);
	@count[copyinstr(arg1), generation] = count();
	@longest[copyinstr(arg1), generation] = max(this->pause);
	@total[copyinstr(arg1), generation] = sum(this->pause);
	began = 0;
}

END
{
	printa("%s, generation %d: ns%@d\n", @pauses);
	printf("%-16s %10s %10s %14s %14s\n", "REASON", "GENERATION", "PAUSES", "LONGEST ns",
	    "TOTAL ns");
	printa("%-16s %10d %@10d %@14d %@14d\n", @count, @longest, @total);
}
