/*
 * @options --via=stream
 * @status 1
 */
sched:::off-cpu
/curlwpsinfo->pr_state == SSLEEP/
{
	self->cpu = cpu;
}

sched:::enqueue
{
	@[args[2]->cpu_id] = lquantize(++qlen[args[2]->cpu_id], 0, 100);
}
