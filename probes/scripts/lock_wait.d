/*
 * lock_wait.d: how long threads wait for locks, by the lock's name
 *
 *     $ vmtap trace lock_wait --lossless -c 'toy --caps=2 pipeline.toy'
 *     account: ns
 *                value  ------------- Distribution ------------- count
 *     ...
 *                32768 |@@                                       35
 *                65536 |                                         4
 *               131072 |                                         0
 *
 *     LOCK                          WAITS     LONGEST ns       TOTAL ns
 *     account                         770        4101979       33456717
 *
 * First a distribution for each name of the time in ns from the moment when a thread finds
 * a lock taken until it acquires it. Then the number of waits, the longest wait, and the
 * sum of all. Locks of the same name count as one; a lock acquired without waiting is left
 * out. The lock that was waited for most often comes last.
 */
#pragma D option quiet

vm$target:::lock-wait
{
	since[arg1] = timestamp;
}

vm$target:::lock-acquired
/since[arg1]/
{
	this->wait = timestamp - since[arg1];
	@waits[copyinstr(arg3)] = quantize(this->wait);
	@count[copyinstr(arg3)] = count();
	@longest[copyinstr(arg3)] = max(this->wait);
	@total[copyinstr(arg3)] = sum(this->wait);
	since[arg1] = 0;
}

END
{
	printa("%s: ns%@d\n", @waits);
	printf("%-24s %10s %14s %14s\n", "LOCK", "WAITS", "LONGEST ns", "TOTAL ns");
	printa("%-24s %@10d %@14d %@14d\n", @count, @longest, @total);
}
