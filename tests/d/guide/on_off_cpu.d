/*
 * How long threads run, by CPU. (sched:::on-cpu and off-cpu in the guide.)
 */
vm$target:::thread-run
{
	self->on = timestamp;
}

vm$target:::thread-stop
/self->on/
{
	@[cpu] = quantize(timestamp - self->on);
	self->on = 0;
}
