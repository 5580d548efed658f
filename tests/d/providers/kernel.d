/*
 * The arguments of the kernel's providers are known, so that with -Z their clauses are checked
 * completely; they never run if no source has the probes.
 * @options -q -Z --via=stream
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

tcp:::accept-*,
tcp:::send
/args[4]->tcp_dport == 80/
{
	@[args[2]->ip_saddr, args[3]->tcps_rport] = sum(args[2]->ip_plength);
}

tcp:::state-change
{
	trace(args[5]->tcps_state);
}

ip:::send,
ip:::receive
/args[4] != NULL/
{
	printf("%s %d\n", args[4]->ipv4_protostr, args[4]->ipv4_ttl);
}

udp:::
{
	@sent[args[3]->udps_raddr] = count();
}

BEGIN
{
	printf("checked\n");
	exit(0);
}
