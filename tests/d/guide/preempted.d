/*
 * Four keys, and a width before the @ of %@d. (whopreempt.d in the guide.)
 */
#pragma D option quiet

vm$target:::thread-stop
/arg2 == 2/
{
	self->preempt = 1;
}

vm$target:::gc-idle
/self->preempt/
{
	self->preempt = 0;
}

vm$target:::thread-run
/self->preempt/
{
	@[stringof(arg1 == 1 ? "main" : "worker"), (int)arg1, execname,
	    cpu] = count();
	self->preempt = 0;
}

END
{
	printf("%30s %3s %30s %3s %5s\n", "RUNS NOW", "NO",
	    "PROGRAM", "CPU", "#");
	printa("%30s %3d %30s %3d %5@d\n", @);
}
