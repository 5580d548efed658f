/*
 * When, in the first seconds, something happens to one thread. (gterm.d in the guide.)
 */
#pragma D option quiet

dtrace:::BEGIN
{
	began = timestamp;
}

vm$target:::thread-wakeup
/arg1 == 7/
{
	@[execname] = lquantize((timestamp - began) / 1000000000, 0, 10);
}

profile:::tick-1sec
/++x == 10/
{
	exit(0);
}
