/*
 * method_time.d: the time spent in each method, with and without what it calls
 *
 *     $ vmtap trace method_time --lossless -c 'toy richards.toy'
 *     CLASS                    METHOD                     EXCLUSIVE ns   INCLUSIVE ns      CALLS
 *     WorkerTask               init                                791           1694          4
 *     ...
 *     Packet                   id                             39818367       39818367      92984
 *     WorkerTask               work                           47172837      105585479      18616
 *     Packet                   id=                            50081264       50081264     102292
 *     Task                     priority                       51557393       51557393     139028
 *     IdleTask                 work                           58021998      125326866      40000
 *     Packet                   link                           63552528       63552528     182728
 *     Task                     id                             65711503       65711503      93008
 *     DeviceTask               work                           97971875      242887281     111536
 *     Task                     check_priority                108841705      169222372      92984
 *     Packet                   link=                         138119123      138119123     133492
 *     HandlerTask              work                          381103725      655407407      93008
 *     Scheduler                run                           419586968     1624513002          4
 *
 * Inclusive time is the time from a method's entry to its return; if a method calls itself,
 * the inner call counts towards both calls. Exclusive time leaves out the methods it calls;
 * the time of methods written in C counts as their caller's. Both are elapsed time in ns and
 * include time spent waiting. Green threads share OS threads, so everything is kept per guest
 * thread (arg4), not in self->. Calls that began before the trace are left out. The most
 * expensive methods come last.
 */
#pragma D option quiet

vm$target:::method-entry
{
	level[arg4]++;
	start[arg4, level[arg4]] = timestamp;
	own[arg4, level[arg4]] = timestamp;
}

/* Moves the start of the caller's exclusive time on by the time that its callee took. */
vm$target:::method-return
/level[arg4] > 0/
{
	this->level = level[arg4];
	this->elapsed = timestamp - start[arg4, this->level];
	this->own = timestamp - own[arg4, this->level];
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@inclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->elapsed);
	@exclusive[copyinstr(arg0), copyinstr(arg1)] = sum(this->own);
	start[arg4, this->level] = 0;
	own[arg4, this->level] = 0;
	own[arg4, this->level - 1] += this->level > 1 ? this->elapsed : 0;
	level[arg4]--;
}

END
{
	printf("%-24s %-24s %14s %14s %10s\n", "CLASS", "METHOD", "EXCLUSIVE ns", "INCLUSIVE ns",
	    "CALLS");
	printa("%-24s %-24s %@14d %@14d %@10d\n", @exclusive, @inclusive, @calls);
}
