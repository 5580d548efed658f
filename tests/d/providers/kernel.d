/*
 * What the kernel's providers pass is known, so that with -Z their clauses are checked as a
 * whole; they never run where no source has the probes.
 * @options -q -Z
 */
io:::start,
io:::wait-*
{
	@bytes[args[1]->dev_statname, args[2]->fi_pathname] = sum(args[0]->b_bcount);
	printf("%s %d\n", args[0]->b_flags & B_READ ? "R" : "W", args[0]->b_blkno);
}

proc:::exec
{
	self->path = args[0];
}

proc:::signal-send
/args[2] == SIGKILL/
{
	printf("%s %d\n", args[1]->pr_fname, args[0]->pr_lwpid);
}

sched:::enqueue
{
	@queue[args[2]->cpu_id] = lquantize(++queued[args[2]->cpu_id], 0, 10);
}

BEGIN
{
	printf("checked\n");
	exit(0);
}
