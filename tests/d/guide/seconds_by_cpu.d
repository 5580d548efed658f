/*
 * Where a program with the given name runs, for three seconds: an argument as text,
 * tick with a long suffix, exit() and normalize().
 * @options pipeline
 */
#pragma D option quiet

dtrace:::BEGIN
{
	began = timestamp;
}

vm*:::thread-run
/execname == $$1/
{
	self->on = timestamp;
}

vm*:::thread-stop
/self->on/
{
	@[cpu] = sum(timestamp - self->on);
	self->on = 0;
}

profile:::tick-1sec
/++x >= 3/
{
	exit(0);
}

dtrace:::END
{
	printf("Time by CPU over %d seconds:\n\n",
	    (timestamp - began) / 1000000000);
	printf("CPU microseconds\n--- ------------\n");
	normalize(@, 1000);
	printa("%3d %@d\n", @);
}
