/* Values that do not fit into dynvarsize and aggsize are reported as DTrace does. */
#pragma D option quiet
#pragma D option dynvarsize=4k
#pragma D option aggsize=4k

int zero;

tick-5000
{
	x++;
	a[x] = x;
	@[x] = count();
}

tick-5000
/x == 500/
{
	exit(0);
}

END
{
	trunc(@, 1);
}

END
{
	trace(1 / zero);
}

ERROR
{
	trace(1 / zero);
}
