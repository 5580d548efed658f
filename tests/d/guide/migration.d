/*
 * A key that is one of two texts, and linear buckets. (howlong.d in the guide.)
 */
vm$target:::thread-stop
/arg2 == 3/
{
	self->cpu = cpu;
	self->ts = timestamp;
}

vm$target:::thread-run
/self->ts/
{
	@[self->cpu == cpu ?
	    "slept, same CPU" : "slept, another CPU"] =
	    lquantize((timestamp - self->ts) / 1000000, 0, 500, 25);
	self->ts = 0;
	self->cpu = 0;
}
